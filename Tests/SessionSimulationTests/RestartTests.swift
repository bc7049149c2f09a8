// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import SessionClient
import Testing

/// What an app learns when the real agent is killed, and starts again.
@Suite struct RestartTests {
  private let gateway = ScriptedGateway(bulbs: 2)

  /// Activates, and sets this many bulbs up.
  private func own(_ count: Int) {
    gateway.activate()
    for _ in 0..<count {
      gateway.setUpBulb()
    }
    _ = gateway.takeLines()
  }

  private func restart(after seconds: Int64 = 0) {
    gateway.killAgent()
    gateway.run(seconds: seconds)
    gateway.startAgent()
    gateway.run(seconds: 10)
  }

  @Test(arguments: [0, 15] as [Int64])
  func `an idle app learns nothing, however long the agent was away`(_ seconds: Int64) throws {
    own(1)
    restart(after: seconds)
    #expect(gateway.takeLines() == [])
    // The session works again.
    gateway.beginCall(.renameAccessory(try #require(gateway.accessories().first).identifier, options: 0))
    gateway.run(seconds: 1)
    gateway.decide("Name", name: "Hall", wait: 1)
    #expect(gateway.takeLines() == ["accessoryChanged Hall 20", "renameAccessory: done"])
  }

  @Test func `an open picker is dismissed, and its call fails`() {
    gateway.activate()
    gateway.beginCall(ScriptedGateway.picker(), wait: 2)
    _ = gateway.takeLines()
    restart()
    #expect(gateway.takeLines() == ["pickerDidDismiss", "showPicker: connectionFailed"])
    gateway.setUpBulb()
    #expect(
      gateway.takeLines() == [
        "pickerDidPresent", "accessoryAdded Bulb 20", "pickerDidDismiss", "showPicker: done",
      ])
  }

  @Test func `a setup that was being named fails`() {
    gateway.activate()
    gateway.setUpBulb(setupOptions: 1)
    _ = gateway.takeLines()
    restart()
    #expect(
      gateway.takeLines() == [
        "pickerSetupFailed connectionFailed", "pickerDidDismiss", "showPicker: connectionFailed",
      ])
  }

  @Test func `an accessory that awaited the app is taken back, and its picker ends once`() {
    gateway.activate()
    gateway.setUpBulb(setupOptions: 2)
    _ = gateway.takeLines()
    restart()
    #expect(
      gateway.takeLines() == [
        "accessoryRemoved Bulb 10", "pickerSetupFailed userCancelled", "pickerDidDismiss",
        "showPicker: userCancelled",
      ])
    #expect(gateway.accessories() == [])
  }

  @Test func `a call that the agent did not finish fails`() throws {
    own(1)
    gateway.beginCall(.renameAccessory(try #require(gateway.accessories().first).identifier, options: 0))
    gateway.run(seconds: 1)
    restart()
    #expect(gateway.takeLines() == ["renameAccessory: connectionFailed"])
  }

  @Test func `what changed while the app was cut off comes as the difference`() {
    own(2)
    let before = gateway.accessories()
    gateway.setCutOff(true)
    gateway.operate("Remove", on: before[0])
    gateway.operate("Rename", on: before[1], name: "Hall", wait: 1)
    gateway.killAgent()
    gateway.run(seconds: 15)
    gateway.startAgent()
    gateway.setCutOff(false)
    #expect(gateway.takeLines(after: 10) == ["accessoryRemoved Bulb 20", "accessoryChanged Hall 20"])
  }

  @Test func `events of an interruption of less than ten seconds come in their order`() {
    own(1)
    let bulb = gateway.accessories()[0]
    gateway.setCutOff(true)
    for name in ["Hall", "Porch"] {
      gateway.operate("Rename", on: bulb, name: name, wait: 1)
    }
    gateway.setCutOff(false)
    #expect(gateway.takeLines(after: 6) == ["accessoryChanged Hall 20", "accessoryChanged Porch 20"])
  }
}
