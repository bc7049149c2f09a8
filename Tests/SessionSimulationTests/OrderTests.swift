// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import SessionClient
@testable import SessionSimulation
import Testing

/// What an app learns, in which order, from the real agent.
@Suite struct OrderTests {
  private let gateway = ScriptedGateway()

  /// A gateway whose app has a bulb.
  private func ownBulb() throws -> AppAccessoryLine {
    gateway.activate()
    gateway.setUpBulb()
    _ = gateway.takeLines()
    return try #require(gateway.accessories().first)
  }

  /// Activates, shows a picker and lets the operator see the bulb. Returns the lines.
  private func show(_ picker: SessionRequest) -> [String] {
    gateway.activate()
    gateway.beginCall(picker, wait: 2)
    return gateway.takeLines()
  }

  @Test func `a call that is made before activated waits for it`() {
    #expect(show(ScriptedGateway.picker()) == ["activated", "pickerDidPresent"])
    gateway.choose(wait: 1)
    #expect(
      gateway.takeLines() == ["accessoryAdded Bulb 20", "pickerDidDismiss", "showPicker: done"])
  }

  @Test func `a filtered picker reports devices, and shows what the app wants`() {
    #expect(
      show(ScriptedGateway.picker(options: 1)) == ["activated", "pickerDidPresent", "accessoryDiscovered"])
    let devices = gateway.discovered().map { ShownDevice(discovered: $0, name: "Mine", productImage: nil) }
    gateway.beginCall(.updatePicker(devices), wait: 1)
    gateway.choose(wait: 1)
    #expect(
      gateway.takeLines() == [
        "updatePicker: done", "accessoryAdded Mine 20", "pickerDidDismiss", "showPicker: done",
      ])
  }

  @Test func `a filtered picker whose search the app ends fails with discoveryTimeout`() {
    _ = show(ScriptedGateway.picker(options: 1))
    gateway.beginCall(.finishPickerDiscovery, wait: 1)
    #expect(
      gateway.takeLines().sorted() == [
        "finishPickerDiscovery: done", "pickerDidDismiss", "showPicker: discoveryTimeout",
      ])
  }

  @Test(arguments: [("Deny", "userRestricted"), ("Cancel", "userCancelled")])
  func `an operator ends a picker`(_ method: String, _ code: String) {
    _ = show(ScriptedGateway.picker())
    gateway.decide(method, wait: 1)
    #expect(gateway.takeLines() == ["pickerDidDismiss", "showPicker: \(code)"])
    gateway.beginCall(ScriptedGateway.picker())
    #expect(gateway.takeLines() == [method == "Cancel" ? "showPicker: pickerRestricted" : "pickerDidPresent"])
  }

  @Test func `an app cancels its picker and opens another one`() {
    _ = show(ScriptedGateway.picker())
    gateway.beginCall(.cancelPicker, wait: 1)
    #expect(gateway.takeLines() == ["cancelPicker: done", "pickerDidDismiss", "showPicker: userCancelled"])
    gateway.beginCall(ScriptedGateway.picker())
    #expect(gateway.takeLines() == ["pickerDidPresent"])
  }

  @Test func `a search without a device ends in time`() {
    let gateway = ScriptedGateway(bulbs: 0)
    gateway.activate()
    gateway.beginCall(ScriptedGateway.picker(), wait: 29)
    #expect(gateway.takeLines() == ["activated", "pickerDidPresent"])
    #expect(gateway.takeLines(after: 2) == ["pickerDidDismiss", "showPicker: discoveryTimeout"])
  }

  @Test func `an item that is renamed at setup asks the operator for the name`() {
    _ = show(ScriptedGateway.picker(setupOptions: 1))
    gateway.choose(wait: 1)
    #expect(gateway.takeLines() == ["pickerSetupRename"])
    gateway.decide("Name", name: "Hall", wait: 1)
    #expect(
      gateway.takeLines() == ["accessoryAdded Hall 20", "pickerDidDismiss", "showPicker: done"])
  }

  @Test func `a rename completes after its event, and one without an operator is cancelled`() throws {
    let bulb = try ownBulb()
    gateway.beginCall(.renameAccessory(bulb.identifier, options: 0), wait: 5)
    gateway.decide("Name", name: "Hall", wait: 1)
    #expect(gateway.takeLines() == ["accessoryChanged Hall 20", "renameAccessory: done"])
    gateway.beginCall(.renameAccessory(bulb.identifier, options: 0), wait: 59)
    #expect(gateway.takeLines() == [])
    #expect(gateway.takeLines(after: 2) == ["renameAccessory: userCancelled"])
  }

  @Test func `an accessory that the app confirms is authorized`() throws {
    _ = show(ScriptedGateway.picker(setupOptions: 2))
    gateway.choose(wait: 1)
    let waiting = try #require(gateway.accessories().first)
    #expect(gateway.takeLines() == ["accessoryAdded Bulb 10"])
    gateway.beginCall(.finishAuthorization(waiting.identifier, ssid: nil, bridgingIdentifier: nil), wait: 1)
    #expect(
      gateway.takeLines() == [
        "accessoryChanged Bulb 20", "finishAuthorization: done", "pickerDidDismiss", "showPicker: done",
      ])
    #expect(gateway.accessories().map(\.state) == [20])
  }

  @Test func `an accessory that the app rejects is removed, and its picker fails`() throws {
    _ = show(ScriptedGateway.picker(setupOptions: 2))
    gateway.choose(wait: 1)
    let waiting = try #require(gateway.accessories().first)
    _ = gateway.takeLines()
    gateway.beginCall(.failAuthorization(waiting.identifier), wait: 1)
    #expect(
      gateway.takeLines() == [
        "accessoryRemoved Bulb 10", "failAuthorization: done", "pickerSetupFailed userCancelled",
        "pickerDidDismiss", "showPicker: userCancelled",
      ])
  }

  @Test func `an accessory that the app does not confirm in 120 s is removed`() {
    _ = show(ScriptedGateway.picker(setupOptions: 2))
    gateway.choose(wait: 119)
    _ = gateway.takeLines()
    #expect(
      gateway.takeLines(after: 3) == [
        "accessoryRemoved Bulb 10", "pickerSetupFailed userCancelled", "pickerDidDismiss",
        "showPicker: userCancelled",
      ])
    #expect(gateway.accessories() == [])
  }

  @Test func `a network whose beginning is known waits for its full name`() throws {
    _ = show(ScriptedGateway.picker(ssidPrefix: "Lumo-"))
    gateway.choose(wait: 1)
    let waiting = try #require(gateway.accessories().first)
    #expect(waiting.state == 10)
    _ = gateway.takeLines()
    gateway.beginCall(.finishAuthorization(waiting.identifier, ssid: "Other", bridgingIdentifier: nil))
    #expect(gateway.takeLines(after: 1) == ["finishAuthorization: invalidRequest"])
    gateway.beginCall(.finishAuthorization(waiting.identifier, ssid: "Lumo-7", bridgingIdentifier: nil))
    #expect(
      gateway.takeLines(after: 1) == [
        "accessoryChanged Bulb 20", "finishAuthorization: done", "pickerDidDismiss", "showPicker: done",
      ])
    #expect(gateway.accessories().map { $0.ssid?.repaired } == ["Lumo-7"])
  }

  @Test func `a second session learns of accessories, and not of the first one's picker`() {
    gateway.activate()
    gateway.activate("second")
    gateway.beginCall(ScriptedGateway.picker(), wait: 2)
    gateway.beginCall(ScriptedGateway.picker(), in: 1)
    gateway.choose(wait: 1)
    let lines = gateway.takeLines()
    #expect(
      lines.filter { !$0.hasPrefix("second") } == [
        "activated", "pickerDidPresent", "accessoryAdded Bulb 20", "pickerDidDismiss", "showPicker: done",
      ])
    #expect(
      lines.filter { $0.hasPrefix("second") } == [
        "second: activated", "second: showPicker: pickerAlreadyActive", "second: accessoryAdded Bulb 20",
      ])
  }

  @Test func `a second picker is refused, and the first one goes on`() {
    gateway.activate()
    gateway.beginCall(ScriptedGateway.picker())
    gateway.setUpBulb()
    let lines = gateway.takeLines()
    #expect(lines.contains("showPicker: pickerAlreadyActive"))
    #expect(
      lines.filter { $0 != "showPicker: pickerAlreadyActive" } == [
        "activated", "pickerDidPresent", "accessoryAdded Bulb 20", "pickerDidDismiss", "showPicker: done",
      ])
  }

  @Test func `removals by the operator and by the app are events, and completions follow them`() throws {
    let bulb = try ownBulb()
    gateway.operate("Remove", on: bulb, wait: 1)
    #expect(gateway.takeLines() == ["accessoryRemoved Bulb 20"])
    gateway.setUpBulb()
    _ = gateway.takeLines()
    let again = try #require(gateway.accessories().first)
    #expect(again.identifier != bulb.identifier)
    gateway.beginCall(.removeAccessory(again.identifier), wait: 1)
    #expect(gateway.takeLines() == ["accessoryRemoved Bulb 20", "removeAccessory: done"])
    gateway.beginCall(.removeAccessory(again.identifier), wait: 1)
    #expect(gateway.takeLines() == ["removeAccessory: invalidRequest"])
  }

  @Test func `accessories of a migration are added before migrationComplete, and then the picker ends`() {
    _ = show(ScriptedGateway.migration([1, 2].map { SimulatedGateway.addressForm($0) }))
    gateway.decide("Agree", wait: 1)
    #expect(
      gateway.takeLines() == [
        "accessoryAdded Bulb 20", "accessoryAdded Bulb 2 20", "migrationComplete", "pickerDidDismiss",
        "showPicker: done",
      ])
    #expect(gateway.accessories().count == 2)
  }

  @Test func `a device that was removed migrates back with the identifier that the app had`() throws {
    let bulb = try ownBulb()
    let identifier = try #require(bulb.bluetoothIdentifier)
    gateway.beginCall(.removeAccessory(bulb.identifier), wait: 1)
    _ = gateway.takeLines()
    gateway.beginCall(ScriptedGateway.migration([identifier]))
    #expect(gateway.takeLines() == ["pickerDidPresent"])
    gateway.decide("Agree", wait: 1)
    #expect(
      gateway.takeLines() == [
        "accessoryAdded Bulb 20", "migrationComplete", "pickerDidDismiss", "showPicker: done",
      ])
    #expect(gateway.accessories().map(\.bluetoothIdentifier) == [identifier])
  }

  @Test func `a migration that an operator denies, or whose device is unknown, adds nothing`() {
    _ = show(ScriptedGateway.migration([SimulatedGateway.addressForm(3)]))
    gateway.decide("Deny", wait: 1)
    #expect(gateway.takeLines() == ["pickerDidDismiss", "showPicker: userRestricted"])
    gateway.run(seconds: 6)
    gateway.beginCall(ScriptedGateway.migration([String(repeating: "7", count: 32)]))
    #expect(gateway.takeLines() == ["showPicker: invalidRequest"])
    _ = show(ScriptedGateway.migration([SimulatedGateway.addressForm(5)]))
    gateway.decide("Agree", wait: 1)
    #expect(gateway.takeLines() == ["pickerDidDismiss", "showPicker: invalidRequest"])
    #expect(gateway.accessories() == [])
  }

  @Test func `invalidate completes what waits, and ends with one event`() {
    _ = show(ScriptedGateway.picker())
    gateway.invalidate()
    #expect(gateway.takeLines(after: 20) == ["showPicker: invalidated", "invalidated"])
    gateway.beginCall(.finishPickerDiscovery)
    #expect(gateway.takeLines() == ["finishPickerDiscovery: invalidated"])
  }
}
