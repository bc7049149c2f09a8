// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import Interfaces
import JSON
import Manifest
@testable import Pairing
import Registry
import Setup
import Testing
import VarlinkClient
import VirtualRadio

@testable import Agent

@Suite("Accessories that get another device", .overEveryTransport)
struct ReplacementScenarios {
  private static func device(_ number: UInt64) -> DeviceAddress {
    DeviceAddress(bits: 0xC000_0000_0000 | number, type: .random)
  }

  /// Two apps have the first bulb; a second one comes after four seconds.
  private func shared() -> (SetupScenario, ScenarioApp, ScenarioApp, ScenarioOperator) {
    let scenario = SetupScenario(.lightsAndGarden, scene: [.bulb(1), .bulb(2, from: 8)])
    let (lights, garden) = (scenario.app(), scenario.app("garden", user: 1001))
    let anna = scenario.watcher()
    for app in [lights, garden] {
      app.call("ShowPicker", wait: 1)
      anna.choose(wait: 1)
    }
    scenario.skip(seconds: 1)
    return (scenario, lights, garden, anna)
  }

  @Test("All apps keep their identifiers and the name, and learn of another device")
  func all() {
    let (scenario, lights, _, anna) = shared()
    anna.call("Rename", #""accessory":"\#(lights.accessory)","name":"Kitchen""#, wait: 1)
    scenario.skip(seconds: 2)
    let before = scenario.harness.setupCore.registry
    anna.call("Replace", #""accessory":"\#(lights.accessory)""#, wait: 1)
    anna.choose(wait: 1)
    #expect(
      scenario.text == """
        8.0 anna: setup lights choosing on behalf Kitchen
        8.0 anna: candidate 1 Lumo bulb
        8.0 anna: Replace → open
        9.0 lights: accessoryChanged a1 Kitchen authorized (device)
        9.0 garden: accessoryChanged a2 Kitchen authorized (device)
        9.0 anna: Replace → a1 Kitchen
        9.0 anna: Replace → done
        9.0 anna: Choose → a1 Kitchen
        9.1 anna: closed a1 Kitchen
        """)
    let registry = scenario.harness.setupCore.registry
    #expect(registry.accessories == before.accessories && registry.accounts == before.accounts)
    #expect(registry.devices.map(\.identity) == [.bluetooth(Self.device(2))])
    #expect(registry.devices.map(\.displayName) == ["Kitchen"])
  }

  @Test("The device with the given address takes the place as soon as it is found")
  func address() {
    let (scenario, lights, _, anna) = shared()
    anna.call("Replace", #""accessory":"\#(lights.accessory)","device":"C0:00:00:00:00:02""#, wait: 5)
    let lines = scenario.text.split(separator: "\n").map { $0.drop { $0 != " " }.dropFirst() }
    #expect(lines.contains("lights: accessoryChanged a1 Lumo bulb authorized (device)"))
    #expect(lines.contains("garden: accessoryChanged a2 Lumo bulb authorized (device)"))
    #expect(lines.contains("anna: Replace → done"))
  }

  @Test("A candidate of an app's own picker may replace a silent accessory, which the item names")
  func inPicker() throws {
    let scenario = SetupScenario(.lights { _ in }, scene: [.bulb(1, from: 0, to: 6), .bulb(2, from: 8)])
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 100)
    let kitchen = app.accessory
    app.call("ShowPicker", wait: 1)
    scenario.skip(seconds: 1)
    let status = try #require(scenario.harness.setupCore.requests.first)
    #expect(status.replaced == nil)
    anna.choose(1, #""replaces":"\#(kitchen)""#, wait: 1)
    let lines = scenario.text.split(separator: "\n").map { $0.drop { $0 != " " }.dropFirst() }
    #expect(
      lines.prefix(4).map(String.init) == [
        "lights: accessoryChanged a1 Lumo bulb authorized (device)", "lights: pickerDidDismiss",
        "lights: pickerFinished", "anna: Choose → a1 Lumo bulb",
      ])
    #expect(scenario.harness.setupCore.registry.accessories.count == 1)
  }

  @Test("The device that was replaced is not set up again automatically until an operator allows it")
  func automatic() {
    let manifest = GatewayManifest.lights { ($0.selection, $0.maxAccessories) = (.automatic, 1) }
    let scenario = SetupScenario(manifest, scene: [.bulb(1), .bulb(2, from: 8)])
    let anna = scenario.watcher()
    scenario.run(seconds: 8)
    let accessory = scenario.harness.setupCore.registry.accessories.first?.identifier.text ?? ""
    anna.call("Replace", #""accessory":"\#(accessory)","device":"C0:00:00:00:00:02""#, wait: 5)
    let registry = scenario.harness.setupCore.registry
    #expect(registry.devices.map(\.identity) == [.bluetooth(Self.device(2))])
    #expect(registry.isRemoved(.bluetooth(Self.device(1)), app: "lights", item: "bulb"))
    anna.call("Remove", #""accessory":"\#(accessory)""#, wait: 10)
    #expect(scenario.harness.setupCore.registry.isEmpty == false, "tombstones stay")
    #expect(scenario.harness.setupCore.registry.accessories.isEmpty)
    anna.call("Allow", #""app":"lights","device":"C0:00:00:00:00:01""#, wait: 10)
    #expect(
      scenario.harness.setupCore.registry.devices.map(\.identity) == [.bluetooth(Self.device(1))])
  }

  @Test("What cannot be replaced, or not by this, is refused, and nothing has changed")
  func refusals() {
    let (scenario, lights, garden, anna) = shared()
    scenario.skip(seconds: 4)
    let before = scenario.harness.setupCore.registry
    anna.call("Replace", #""accessory":"ffffffffffffffffffffffffffffffff""#)
    anna.call("Replace", #""accessory":"\#(lights.accessory)","device":"no address""#)
    anna.call("Replace", #""accessory":"\#(lights.accessory)","device":"C0:00:00:00:00:01""#)
    lights.call("ShowPicker", wait: 1)
    anna.call("Replace", #""accessory":"\#(lights.accessory)""#)
    anna.choose(1, #""replaces":"\#(garden.accessory)""#)
    anna.choose(1, #""replaces":"\#(lights.accessory)","name":"Other""#)
    anna.answer("Cancel", wait: 1)
    let errors = scenario.text.split(separator: "\n").filter { $0.contains("→") && !$0.contains("done") }
    #expect(errors.count == 6, "\(scenario.text)")
    #expect(scenario.harness.setupCore.registry == before)
  }

  @Test("A request to replace an accessory ends when that is removed")
  func removed() {
    let (scenario, lights, _, anna) = shared()
    anna.call("Replace", #""accessory":"\#(lights.accessory)""#, wait: 1)
    lights.call("RemoveAccessory", about: lights.accessory, wait: 1)
    #expect(scenario.harness.setupCore.requests.isEmpty)
    #expect(scenario.text.contains("anna: Replace → SetupFailed"))
  }
}

@Suite("Bonds of devices that are replaced")
struct ReplacedBondScenarios {
  private static let second = DeviceAddress(bits: 0xC000_0000_0002, type: .random)

  private func bench(_ change: (inout GatewayManifest) -> Void = { _ in }) -> PairingBench {
    let bench = PairingBench(scene: [.bulb(1), .bulb(2, from: 8)], change)
    bench.owns()
    bench.scenario.run(seconds: 8)
    return bench
  }

  private func replaces(_ bench: PairingBench) -> ScenarioCall {
    let call = bench.anna.call("Replace", #""accessory":"\#(bench.lights.accessory)""#, wait: 1)
    bench.anna.choose()
    return call
  }

  @Test("The new device is paired as in a setup, and the bond with the old one goes")
  func paired() throws {
    let bench = bench()
    let before = bench.accessories
    _ = replaces(bench)
    #expect(bench.backend.requests.map(\.device) == [Self.second])
    #expect(bench.phase == "pairing")
    bench.succeeds(.justWorks, Self.second)
    #expect(bench.backend.takeCommands().contains(.unpair(PairingBench.bulb, .gateway)))
    #expect(bench.accessories == before)
    let device = try #require(bench.harness.setupCore.registry.devices.first)
    #expect(device.identity == .bluetooth(Self.second) && device.bond.isBonded)
    #expect(bench.events().last == "accessoryChanged")
  }

  @Test("When the pairing fails, the accessory has its old device and bond")
  func failed() {
    let bench = bench()
    let before = bench.harness.setupCore.registry
    let call = replaces(bench)
    bench.fails(.timeout(isAsking: false))
    #expect(bench.harness.setupCore.registry == before)
    #expect(bench.failure(call)?.error == "SetupFailed")
  }

  @Test("The new device is paired as the strictest item of all its apps demands")
  func strictest() {
    let bench = bench { $0.apps[1].items[0].pairing = .authenticated }
    // The other app demands digits of a bond that has none, so that it gets the device only now.
    _ = bench.anna.call("Replace", #""accessory":"\#(bench.lights.accessory)""#, wait: 1)
    bench.anna.choose()
    #expect(bench.backend.requests.last?.demandsAuthentication == false)
  }

  @Test("When the disk does not write it, the new bond is undone, and the old one stays")
  func notWritten() {
    let bench = bench()
    let before = bench.harness.setupCore.registry
    _ = replaces(bench)
    bench.harness.registry.replies = [.failed(.full, isOpen: true)]
    bench.succeeds(.justWorks, Self.second)
    #expect(bench.harness.setupCore.registry == before)
    #expect(bench.backend.takeCommands().contains(.unpair(Self.second, .gateway)))
  }

  @Test("An agent that ends after the pairing keeps the old device; its next run undoes the new bond")
  func killed() {
    let bench = bench()
    let before = bench.harness.registry.saved
    _ = replaces(bench)
    bench.harness.registry.isHeld = true
    bench.reports(
      .ended(
        bench.pairing,
        .success(
          PairedDevice(
            identity: Self.second, record: BondRecord(owner: .bluetoothd, isAuthenticated: false),
            method: .justWorks))))
    #expect(bench.harness.registry.saved == before)
    bench.harness.releaseRegistry()
    bench.scenario.run(seconds: 1)
    let saved = bench.harness.registry.saved
    #expect(saved.bondRemovals.isEmpty && saved.devices.map(\.identity) == [.bluetooth(Self.second)])
  }

  @Test("A loss of the old device's bond that comes meanwhile does not touch the new one")
  func lostMeanwhile() {
    let bench = bench()
    _ = replaces(bench)
    bench.harness.registry.isHeld = true
    bench.succeeds(.justWorks, Self.second)
    bench.loses()
    bench.harness.releaseRegistry()
    bench.scenario.run(seconds: 1)
    #expect(bench.bond?.isBonded == true)
  }
}

@Suite("Connections to devices that are replaced")
struct ReplacedConnectionScenarios {
  @Test("The connections of all apps to the old device end")
  func ends() {
    let bench = ConnectionBench(scene: [.bulb(1), .bulb(2, level: -80)])
    bench.connected(bench.lights)
    #expect(bench.connectedCount == 1)
    bench.anna.call(
      "Replace", #""accessory":"\#(bench.garden.accessory)","device":"C0:00:00:00:00:02""#, wait: 1)
    bench.scenario.run(seconds: 1)
    bench.ends(.byLocalHost)
    #expect(bench.connectedCount == 0)
    #expect(bench.notices.contains { if case .ended(_, _, .removed, _) = $0 { true } else { false } })
  }
}
