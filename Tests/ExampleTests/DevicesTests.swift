// SPDX-License-Identifier: GPL-3.0-or-later

import GATTSupport
import Testing

/// The program of Scripts/examples/devices as a process, with an agent at a socket.
@Suite(.timeLimit(.minutes(30))) struct DevicesTests {
  private static let roll = "12345679-1234-1234-1234-123456789ABC"

  @Test func `with a picker, devices are found, connected, renamed and removed`() async throws {
    let gateway = GatewayModel()
    let program = try RunningProgram("devices", ["picker"], socket: gateway.path)
    #expect(await program.waitFor("ready: 0 devices"))
    program.write("find")
    #expect(await program.waitFor("ended: done"))
    program.write("connect Dice")
    #expect(await program.waitFor("connected: Dice", "subscribed to \(Self.roll)"))
    #expect(gateway.roll(6))
    #expect(await program.waitFor("Dice sends 06"))
    program.write("rename Dice")
    #expect(await program.waitFor("changed: Dice is now Cubes"))
    program.write("remove Cubes")
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
    #expect(await program.waitFor("ready: 0 devices"))
    program.write("find")
    #expect(await program.waitFor("found: Dice, dice"))
    program.write("stop")
    program.write("connect Dice")
    #expect(await program.waitFor("ended: done", "connected: Dice", "subscribed to \(Self.roll)"))
    #expect(gateway.roll(1))
    #expect(await program.waitFor("Dice sends 01"))
    program.write("remove Dice")
    program.write("connect Dice")
    #expect(await program.waitFor("lost: Dice", "no device is called Dice"))
    program.write("quit")
    #expect(await program.exitStatus() == 0)
  }

  @Test func `wrong arguments end with the usage`() async throws {
    let gateway = GatewayModel()
    let program = try RunningProgram("devices", ["scan"], socket: gateway.path)
    #expect(await !program.waitFor("ready: 0 devices"))
    #expect(await program.exitStatus() == 64)
  }
}
