// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import JSON
import Manifest
import Registry
import Setup
import Testing
import Varlink
import VarlinkClient
import VirtualRadio

/// Complaints of developers (accessorysetupkit.md, A.5), with their numbers there, and what happens here.
@Suite("Complaints about AccessorySetupKit that do not apply here", .overEveryTransport)
struct ComplaintTests {
  private func callGateway(
    _ scenario: SetupScenario, _ method: String, _ parameters: String = "", more: Bool = false
  )
    -> [ReceivedReply]
  {
    guard let client = scenario.harness.connect() else { return [] }
    scenario.harness.send(Message.text("io.accessoryd.Gateway.\(method)", parameters, more: more), by: client)
    return client.replies
  }

  @Test("1: whether the radio is on is separate from whether anything is authorized")
  func radioState() throws {
    let scenario = SetupScenario(.lights { _ in })
    scenario.app()
    let status = try #require(callGateway(scenario, "Status").first)
    #expect(scenario.harness.setupCore.registry.accessories.isEmpty)
    #expect(status.object("radio")?.text("state") ?? status.text("radio") == "on")
    #expect(scenario.text == "0.0 lights: activated")
  }

  @Test("2: a device that restarts as its own bootloader stays its app's accessory")
  func secondIdentity() {
    var bootloader = SceneDevice.unknownDevice(1)
    bootloader.presence = [.seconds(30, 1000)]
    var bulb = SceneDevice.bulb(1)
    bulb.presence = [.seconds(0, 15)]
    let manifest = GatewayManifest.lights { item in
      var alternate = DiscoveryDescriptor()
      alternate.companyIdentifier = 0x004C
      item.alternate = alternate
    }
    let (scenario, app, _) = SetupScenario.owning(manifest, scene: [bulb, bootloader])
    app.call("WatchAdvertisements", wait: 300)
    #expect(scenario.text.ranges(of: "found a1").count == 2)
    #expect(scenario.text.hasSuffix("found a1") && !scenario.text.contains("accessoryRemoved"))
  }

  @Test("2: so does a device whose bootloader has another address, if no other device fell silent")
  func secondAddress() {
    var bootloader = SceneDevice.unknownDevice(2)
    bootloader.presence = [.seconds(16, 1000)]
    var bulb = SceneDevice.bulb(1)
    bulb.presence = [.seconds(0, 15)]
    let manifest = GatewayManifest.lights { item in
      var alternate = DiscoveryDescriptor()
      alternate.companyIdentifier = 0x004C
      item.alternate = alternate
    }
    let (scenario, app, _) = SetupScenario.owning(manifest, scene: [bulb, bootloader])
    app.call("WatchAdvertisements", wait: 100)
    #expect(scenario.text.ranges(of: "found a1").count == 2 && scenario.text.hasSuffix("found a1"))
    #expect(scenario.harness.setupCore.registry.devices.map { $0.secondAddress?.bits } == [0xC000_0000_0002])
  }

  @Test("3: a failed setup leaves nothing behind, and the device can be found again")
  func failedSetup() {
    let scenario = SetupScenario(.lights { _ in })
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", wait: 1)
    scenario.harness.registry.replies = [.failed(.full, isOpen: true)]
    anna.choose(wait: 1)
    #expect(scenario.harness.setupCore.registry.accessories.isEmpty)
    #expect(scenario.harness.registry.saved.accessories.isEmpty)
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    #expect(scenario.harness.registry.saved.accessories.count == 1)
  }

  @Test("4: a removal reaches every client, also after a restart")
  func removal() {
    let (scenario, app, anna) = SetupScenario.owning()
    let second = scenario.app(as: "lights again")
    anna.call("Remove", #""accessory":"\#(app.accessory)""#, wait: 1)
    #expect(app.events.last?.text("event") == "accessoryRemoved")
    #expect(second.events.last?.text("event") == "accessoryRemoved")
    let after = SetupScenario(
      .lights { _ in }, scene: [.bulb(1)], registry: StandInRegistryFile(scenario.harness.registry.saved),
      run: 2
    )
    let again = after.app()
    again.hangUp()
    again.activate(#""app":"lights","epoch":"\#(app.epoch)","sequence":\#(app.sequence)"#)
    after.run(seconds: 0.1)
    #expect(
      after.text == """
        0.0 lights: activated
        0.1 lights: reset
        0.1 lights: activated
        """)
  }

  @Test("4: what a restart took back reaches every client that resumes, whatever has happened since")
  func takenBack() {
    let manifest = GatewayManifest.lights { $0.setupOptions = .confirmAuthorization }
    let scenario = SetupScenario(manifest)
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    var registry = StandInRegistryFile(scenario.harness.registry.saved)
    registry.isHeld = true
    let after = SetupScenario(manifest, registry: registry, run: 2)
    let cursor = #""app":"lights","epoch":"\#(app.epoch)","sequence":\#(app.sequence)"#
    let first = after.app(as: "first")
    after.harness.releaseRegistry()
    after.run(seconds: 1)
    let operators = after.watcher()
    first.call("ShowPicker")
    after.run(seconds: 1)
    operators.choose()
    after.run(seconds: 1)
    _ = after.takeLines()
    for name in ["second", "third"] {
      let later = after.app(as: name)
      later.hangUp()
      _ = after.takeLines()
      later.activate(cursor)
      later.collect()
      #expect(
        after.takeLines() == """
          3.0 \(name): reset
          3.0 \(name): activated, a1 Lumo bulb awaitingAuthorization
          3.0 \(name): accessoryRemoved a2 Lumo bulb awaitingAuthorization
          3.0 \(name): pickerSetupFailed userCancelled
          3.0 \(name): pickerDidDismiss
          3.0 \(name): pickerFinished userCancelled
          """)
    }
    first.call("FinishAuthorization", about: first.accessory)
    after.run(seconds: 0.1)
    #expect(after.text.contains("third: accessoryChanged a1 Lumo bulb authorized (state)"))
  }

  @Test("5: a device that a picker does not show is inspected, and another manifest shows it at once")
  func reload() throws {
    let scenario = SetupScenario(.lights { $0.descriptor.companyIdentifier = 0x0EEF })
    let (app, anna) = (scenario.app(), scenario.watcher())
    let explained = callGateway(scenario, "Inspect", #""device":"C0:00:00:00:00:01""#, more: true)
    #expect(explained.count > 1)
    scenario.harness.reading = .accepted(
      AgentCore.Configuration(.lights { _ in }, board: .attentive, access: .twoApps),
      radioSource: "h4:bench",
      warnings: [])
    scenario.harness.readManifestAgain()
    scenario.run(seconds: 1)
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    #expect(app.events.contains { $0.text("event") == "accessoryAdded" })
    #expect(scenario.harness.setupCore.sessionCount == 1)
  }

  @Test("6: a picker is closed without ending the session, and leaves nothing behind")
  func cancelPicker() {
    let scenario = SetupScenario(.lights { $0.setupOptions = .rename })
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", wait: 1)
    anna.choose()
    app.call("CancelPicker", wait: 1)
    #expect(app.events.last?.text("event") == "pickerFinished")
    #expect(scenario.harness.setupCore.requests.isEmpty)
    #expect(scenario.harness.registry.saved.accessories.isEmpty)
    app.call("List")
    #expect(scenario.lines.last?.hasSuffix("lights: List → done") ?? false)
  }

  @Test("7: a rename gets one reply, whether an operator answers it or not")
  func everyCallGetsOneReply() {
    let (scenario, app, anna) = SetupScenario.owning()
    let calls = [app.call("RenameAccessory", about: app.accessory)]
    scenario.run(seconds: 59)
    #expect(calls[0].replies.isEmpty)
    scenario.run(seconds: 2)
    #expect(calls[0].replies.map(\.error) == ["io.accessoryd.Session.UserCancelled"])
    let second = app.call("RenameAccessory", about: app.accessory, wait: 1)
    scenario.harness.registry.isHeld = true
    anna.answer("Name", #""name":"Hall""#, wait: 91)
    #expect(second.replies.map(\.error) == ["io.accessoryd.Session.Unknown"])
    scenario.harness.releaseRegistry()
    scenario.run(seconds: 1)
    #expect(second.replies.count == 1)
    #expect(app.events.last?.text("event") == "accessoryChanged")
  }

  @Test("8: overlapping calls each get their own reply")
  func overlapping() {
    let (scenario, app, anna) = SetupScenario.owning()
    scenario.harness.registry.isHeld = true
    let calls = [
      app.call("RenameAccessory", about: app.accessory), app.call("RenameAccessory", about: app.accessory),
      app.call("ShowPicker"), app.call("ShowPicker"), app.call("RemoveAccessory", about: app.accessory),
      app.call("RemoveAccessory", about: app.accessory),
    ]
    scenario.run(seconds: 1)
    scenario.harness.releaseRegistry()
    scenario.run(seconds: 1)
    anna.answer("Deny", wait: 61)
    #expect(calls.map(\.replies.count) == [1, 1, 1, 1, 1, 1])
    #expect(
      calls.map { $0.replies.first?.error?.drop(through: ".") } == [
        "InvalidRequest", "PickerAlreadyActive", nil, "PickerAlreadyActive", nil, "InvalidRequest",
      ])
  }

  @Test("9: an undeclared descriptor is refused with its field, and the app can continue")
  func undeclared() {
    let scenario = SetupScenario(.lights { _ in })
    let app = scenario.app()
    app.call("ShowPicker", #""items":[{"name":"Mine","descriptor":{"bluetoothCompanyIdentifier":76}}]"#)
    app.call("ShowPicker")
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lights: ShowPicker → InvalidRequest items[0].descriptor.bluetoothCompanyIdentifier
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        """)
  }

  @Test("10: a name substring alone is refused with what to add; with a company it finds its device")
  func nameAlone() {
    let scenario = SetupScenario(.lights { _ in }.with { $0.apps[0].names = [Array("Lumo".utf8)] })
    let app = scenario.app()
    let refused = app.call(
      "ShowPicker", #""items":[{"name":"Mine","descriptor":{"bluetoothNameSubstring":"Lumo"}}]"#)
    let cure = refused.replies.first?.text("cure") ?? ""
    #expect(cure.contains("bluetoothCompanyIdentifier"), "\(cure)")
    let anna = scenario.watcher()
    app.call(
      "ShowPicker",
      #""items":[{"name":"Mine","descriptor":{"bluetoothCompanyIdentifier":3822,"bluetoothNameSubstring":"Lumo"}}]"#
    )
    scenario.run(seconds: 1)
    #expect(scenario.text.contains("anna: candidate 1 Mine"), "\(scenario.text)")
    _ = anna
  }

  @Test("11: operators see every device nearby, whether an item looks for it or not")
  func sightings() {
    let scenario = SetupScenario(.lights { _ in }, scene: [.bulb(1), .unknownDevice(2)])
    let seen = callGateway(scenario, "Sightings", #""includesAll":true"#, more: true).compactMap {
      $0.object("device")
    }
    #expect(Set(seen.compactMap { $0.text("address") }) == ["C0:00:00:00:00:01", "C0:00:00:00:00:02"])
  }

  @Test("13: a device that no longer accepts its keys is reported as such, and stays its app's accessory")
  func bondLost() {
    let (scenario, _, _) = SetupScenario.owning()
    var registry = StandInRegistryFile(scenario.harness.registry.saved)
    registry.loseBonds()
    let after = SetupScenario(.lights { _ in }, scene: [.bulb(1)], registry: registry, run: 2)
    let call = after.app().call("List")
    #expect(call.replies.first?.object("accessory")?.text("bond") == "lost")
    #expect(call.replies.first?.object("accessory")?.integer("state") == 20)
  }

  @Test("14: levels are smoothed, and a device that falls silent is lost")
  func smoothed() {
    var bulb = SceneDevice.bulb(1)
    bulb.presence = [.seconds(0, 20)]
    bulb.signal = SignalModel(.steady(-60), sigmaTenths: 80)
    let (scenario, app, anna) = SetupScenario.owning(scene: [bulb])
    let watch = app.call("WatchAdvertisements", wait: 200)
    let events = watch.replies.compactMap { $0.object("advertisement") }
    #expect(events.first?.text("event") == "found" && events.last?.text("event") == "lost")
    #expect(events.compactMap { $0.integer("filteredRSSI") }.allSatisfy { (-66 ... -54).contains($0) })
    anna.call("List")
    #expect(scenario.harness.setupCore.registry.accessories.count == 1)
  }
}
