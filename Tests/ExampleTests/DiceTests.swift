// SPDX-License-Identifier: GPL-3.0-or-later

import GATTSupport
import Testing

/// The program of Scripts/examples/dice as a process, with an agent at a socket.
@Suite(.timeLimit(.minutes(30))) struct DiceTests {
  @Test func `dice are added, roll, get a setting, are removed and added again`() async throws {
    let gateway = GatewayModel()
    let program = try RunningProgram("dice", socket: gateway.path)
    #expect(await program.write("add", after: "activated: 0 accessories"))
    #expect(await program.waitFor("picker: done", "ready", "sides: 6"))
    #expect(gateway.roll(5))
    #expect(await program.write("sides 20", after: "rolled: 5"))
    #expect(await program.waitFor("sides: 20"))
    let server = try #require(gateway.peers.first).server
    #expect(server.model.value(server.settingHandle) == [20])
    program.write("remove")
    #expect(await program.write("add", after: "remove: done"))
    #expect(await program.waitFor("picker: done", "ready", "sides: 6"))
    #expect(gateway.roll(3))
    #expect(await program.waitFor("rolled: 3"))
    #expect(
      program.lines(beginning: "activated", "accessory", "picker", "remove") == [
        "activated: 0 accessories", "pickerDidPresent", "accessoryAdded: Dice", "pickerDidDismiss",
        "picker: done", "accessoryRemoved: Dice", "remove: done",
        "pickerDidPresent", "accessoryAdded: Dice", "pickerDidDismiss", "picker: done",
      ])
    #expect(
      program.lines(beginning: "connected", "rolled") == [
        "connected: Dice", "rolled: 5", "connected: Dice", "rolled: 3",
      ])
    program.write("quit")
    #expect(await program.exitStatus() == 0)
  }

  @Test func `dice that were set up before are connected at once, and again after a loss`() async throws {
    let gateway = GatewayModel(accessories: ["1": "Dice"])
    let program = try RunningProgram("dice", socket: gateway.path)
    #expect(await program.waitFor("activated: 1 accessories", "ready"))
    try #require(gateway.peers.first).disconnect()
    #expect(await program.waitFor("connected: Dice", "ready"))
    #expect(gateway.roll(2))
    #expect(await program.waitFor("rolled: 2"))
    #expect(program.lines(beginning: "disconnected").count == 1)
    program.write("disconnect")
    #expect(await program.write("quit", after: "disconnected: by the app"))
    #expect(await program.exitStatus() == 0)
  }

  @Test func `a refused connection and wrong commands are sentences`() async throws {
    let gateway = GatewayModel(accessories: ["1": "Dice"])
    gateway.refuseConnections("UserRestricted", 750)
    let program = try RunningProgram("dice", socket: gateway.path)
    #expect(await program.write("sides 1", after: "not connected: why; what"))
    program.write("sides 8")
    program.write("throw")
    #expect(
      await program.waitFor(
        "sides: write a number from 2 to 255", "the dice are not connected",
        "commands: add [paired], remove, sides N, connect, disconnect, quit"))
    program.write("quit")
    #expect(await program.exitStatus() == 0)
  }
}
