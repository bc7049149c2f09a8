// SPDX-License-Identifier: GPL-3.0-or-later

import GATTSupport
import Testing

/// The program of Scripts/examples/devices as a process, with an agent at a socket.
@Suite(.timeLimit(.minutes(30))) struct DevicesTests {
  private static let roll = "12345679-1234-1234-1234-123456789ABC"

  @Test func `with a picker, devices are found, connected, renamed and removed`() async throws {
    let gateway = GatewayModel()
    let program = try RunningProgram("devices", ["picker"], socket: gateway.path)
    #expect(await program.write("find", after: "ready: 0 devices"))
    #expect(await program.write("connect Dice", after: "ended: done"))
    #expect(await program.waitFor("connected: Dice", "subscribed to \(Self.roll)"))
    #expect(gateway.roll(6))
    #expect(await program.write("rename Dice", after: "Dice sends 06"))
    #expect(await program.write("remove Cubes", after: "changed: Dice is now Cubes"))
    #expect(await program.waitFor("lost: Cubes"))
    #expect(
      program.lines(beginning: "ready", "found", "changed", "lost", "ended") == [
        "ready: 0 devices", "found: Dice, dice", "ended: done", "changed: Dice is now Cubes", "lost: Cubes",
      ])
    program.write("quit")
    #expect(await program.exitStatus() == 0)
  }

  @Test func `a plain list finds the same devices, and connects in the same way`() async throws {
    let gateway = GatewayModel(accessories: ["1": "Dice"])
    let program = try RunningProgram("devices", ["list"], socket: gateway.path)
    #expect(await program.write("find", after: "ready: 0 devices"))
    #expect(await program.write("stop", after: "found: Dice, dice"))
    program.write("connect Dice")
    #expect(await program.waitFor("ended: done", "connected: Dice", "subscribed to \(Self.roll)"))
    #expect(gateway.roll(1))
    #expect(await program.write("remove Dice", after: "Dice sends 01"))
    program.write("connect Dice")
    #expect(await program.write("quit", after: "lost: Dice", "no device is called Dice"))
    #expect(await program.exitStatus() == 0)
  }

  @Test func `wrong arguments end with the usage`() async throws {
    let gateway = GatewayModel()
    let program = try RunningProgram("devices", ["scan"], socket: gateway.path)
    #expect(await !program.waitFor("ready: 0 devices"))
    #expect(await program.exitStatus() == 64)
  }
}
