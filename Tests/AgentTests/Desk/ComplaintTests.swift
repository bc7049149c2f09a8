// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import JSON
import Manifest
import Registry
import Setup
import Testing
import Varlink
import VirtualRadio

/// What developers complain about (accessorysetupkit.md, A.5), by its number there, and what happens here.
@Suite("Complaints about AccessorySetupKit that do not hold here", .overEveryTransport)
struct ComplaintTests {
  private func ofGateway(_ story: DeskStory, _ method: String, _ parameters: String = "", more: Bool = false)
    -> [ReceivedReply]
  {
    guard let client = story.harness.connect() else { return [] }
    story.harness.send(Message.text("io.accessoryd.Gateway.\(method)", parameters, more: more), by: client)
    return client.replies
  }

  @Test("1: whether the radio is on is told apart from whether anything is authorized")
  func radioState() throws {
    let story = DeskStory(.lights { _ in })
    story.app()
    let status = try #require(ofGateway(story, "Status").first)
    #expect(story.harness.setupCore.registry.accessories.isEmpty)
    #expect(status.object("radio")?.text("state") ?? status.text("radio") == "on")
    #expect(story.text == "0.0 lights: activated")
  }

  @Test("2: a device that restarts as its own bootloader stays its app's accessory")
  func secondIdentity() {
    var bootloader = SceneDevice.stranger(1)
    bootloader.presence = [.seconds(30, 1000)]
    var bulb = SceneDevice.bulb(1)
    bulb.presence = [.seconds(0, 15)]
    let manifest = GatewayManifest.lights { item in
      var alternate = DiscoveryDescriptor()
      alternate.companyIdentifier = 0x004C
      item.alternate = alternate
    }
    let (story, app, _) = DeskStory.owning(manifest, scene: [bulb, bootloader])
    app.call("WatchAdvertisements")
    story.run(seconds: 300)
    #expect(story.text.ranges(of: "found a1").count == 2)
    #expect(story.text.hasSuffix("found a1") && !story.text.contains("accessoryRemoved"))
  }

  @Test("2: so does one that has another address as its bootloader, if nothing else has fallen silent")
  func secondAddress() {
    var bootloader = SceneDevice.stranger(2)
    bootloader.presence = [.seconds(16, 1000)]
    var bulb = SceneDevice.bulb(1)
    bulb.presence = [.seconds(0, 15)]
    let manifest = GatewayManifest.lights { item in
      var alternate = DiscoveryDescriptor()
      alternate.companyIdentifier = 0x004C
      item.alternate = alternate
    }
    let (story, app, _) = DeskStory.owning(manifest, scene: [bulb, bootloader])
    app.call("WatchAdvertisements")
    story.run(seconds: 100)
    #expect(story.text.ranges(of: "found a1").count == 2 && story.text.hasSuffix("found a1"))
    #expect(story.harness.setupCore.registry.devices.map { $0.secondAddress?.bits } == [0xC000_0000_0002])
  }

  @Test("3: a setup that fails leaves nothing, and the device can be found again")
  func failedSetup() {
    let story = DeskStory(.lights { _ in })
    let app = story.app()
    let anna = story.watcher()
    app.call("ShowPicker")
    story.run(seconds: 1)
    story.harness.registry.replies = [.failed(.full, isOpen: true)]
    anna.choose()
    story.run(seconds: 1)
    #expect(story.harness.setupCore.registry.accessories.isEmpty)
    #expect(story.harness.registry.saved.accessories.isEmpty)
    app.call("ShowPicker")
    story.run(seconds: 1)
    anna.choose()
    story.run(seconds: 1)
    #expect(story.harness.registry.saved.accessories.count == 1)
  }

  @Test("4: a removal reaches every client, and those that come after a restart")
  func removal() {
    let (story, app, anna) = DeskStory.owning()
    let second = story.app(as: "lights again")
    anna.call("Remove", #""accessory":"\#(app.accessory)""#)
    story.run(seconds: 1)
    #expect(app.events.last?.text("event") == "accessoryRemoved")
    #expect(second.events.last?.text("event") == "accessoryRemoved")
    let after = DeskStory(
      .lights { _ in }, scene: [.bulb(1)], registry: StandInRegistryFile(story.harness.registry.saved), run: 2
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

  @Test("4: what a restart took back reaches every client that comes back, whatever has happened since")
  func takenBack() {
    let manifest = GatewayManifest.lights { $0.setupOptions = .confirmAuthorization }
    let story = DeskStory(manifest)
    let app = story.app()
    let anna = story.watcher()
    app.call("ShowPicker")
    story.run(seconds: 1)
    anna.choose()
    story.run(seconds: 1)
    var registry = StandInRegistryFile(story.harness.registry.saved)
    registry.isHeld = true
    let after = DeskStory(manifest, registry: registry, run: 2)
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

  @Test("5: a device that a picker does not show is explained, and another manifest shows it at once")
  func reload() throws {
    let story = DeskStory(.lights { $0.descriptor.companyIdentifier = 0x0EEF })
    let app = story.app()
    let anna = story.watcher()
    let explained = ofGateway(story, "Explain", #""device":"C0:00:00:00:00:01""#, more: true)
    #expect(explained.count > 1)
    story.harness.reading = .accepted(
      AgentCore.Configuration(.lights { _ in }, board: .attentive, access: .twoApps),
      radioSource: "h4:bench",
      warnings: [])
    story.harness.readManifestAgain()
    story.run(seconds: 1)
    app.call("ShowPicker")
    story.run(seconds: 1)
    anna.choose()
    story.run(seconds: 1)
    #expect(app.events.contains { $0.text("event") == "accessoryAdded" })
    #expect(story.harness.setupCore.sessionCount == 1)
  }

  @Test("6: a picker is closed without ending the session, and nothing of it is left")
  func cancelPicker() {
    let story = DeskStory(.lights { $0.setupOptions = .rename })
    let app = story.app()
    let anna = story.watcher()
    app.call("ShowPicker")
    story.run(seconds: 1)
    anna.choose()
    app.call("CancelPicker")
    story.run(seconds: 1)
    #expect(app.events.last?.text("event") == "pickerFinished")
    #expect(story.harness.setupCore.requests.isEmpty)
    #expect(story.harness.registry.saved.accessories.isEmpty)
    app.call("List")
    #expect(story.lines.last?.hasSuffix("lights: List → done") ?? false)
  }

  @Test("7: a rename is answered once, whether an operator answers it or not")
  func everyRequestIsAnswered() {
    let (story, app, anna) = DeskStory.owning()
    let calls = [app.call("RenameAccessory", about: app.accessory)]
    story.run(seconds: 59)
    #expect(calls[0].replies.isEmpty)
    story.run(seconds: 2)
    #expect(calls[0].replies.map(\.error) == ["io.accessoryd.Session.UserCancelled"])
    let second = app.call("RenameAccessory", about: app.accessory)
    story.run(seconds: 1)
    story.harness.registry.isHeld = true
    anna.answer("Name", #""name":"Hall""#)
    story.run(seconds: 91)
    #expect(second.replies.map(\.error) == ["io.accessoryd.Session.Unknown"])
    story.harness.releaseRegistry()
    story.run(seconds: 1)
    #expect(second.replies.count == 1)
    #expect(app.events.last?.text("event") == "accessoryChanged")
  }

  @Test("8: overlapping calls each get an answer of their own")
  func overlapping() {
    let (story, app, anna) = DeskStory.owning()
    story.harness.registry.isHeld = true
    let calls = [
      app.call("RenameAccessory", about: app.accessory), app.call("RenameAccessory", about: app.accessory),
      app.call("ShowPicker"), app.call("ShowPicker"), app.call("RemoveAccessory", about: app.accessory),
      app.call("RemoveAccessory", about: app.accessory),
    ]
    story.run(seconds: 1)
    story.harness.releaseRegistry()
    story.run(seconds: 1)
    anna.answer("Deny")
    story.run(seconds: 61)
    #expect(calls.map(\.replies.count) == [1, 1, 1, 1, 1, 1])
    #expect(
      calls.map { $0.replies.first?.error?.drop(through: ".") } == [
        "InvalidRequest", "PickerAlreadyActive", nil, "PickerAlreadyActive", nil, "InvalidRequest",
      ])
  }

  @Test("9: what the manifest does not declare is refused with its field, and the app goes on")
  func undeclared() {
    let story = DeskStory(.lights { _ in })
    let app = story.app()
    app.call("ShowPicker", #""items":[{"name":"Mine","descriptor":{"bluetoothCompanyIdentifier":76}}]"#)
    app.call("ShowPicker")
    #expect(
      story.text == """
        0.0 lights: activated
        0.0 lights: ShowPicker → InvalidRequest items[0].descriptor.bluetoothCompanyIdentifier
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        """)
  }

  @Test("10: a part of a name alone is refused with what to add; beside a company it finds its device")
  func nameAlone() {
    let story = DeskStory(.lights { _ in }.with { $0.apps[0].names = [Array("Lumo".utf8)] })
    let app = story.app()
    let refused = app.call(
      "ShowPicker", #""items":[{"name":"Mine","descriptor":{"bluetoothNameSubstring":"Lumo"}}]"#)
    let cure = refused.replies.first?.text("cure") ?? ""
    #expect(cure.contains("bluetoothCompanyIdentifier"), "\(cure)")
    let anna = story.watcher()
    app.call(
      "ShowPicker",
      #""items":[{"name":"Mine","descriptor":{"bluetoothCompanyIdentifier":3822,"bluetoothNameSubstring":"Lumo"}}]"#
    )
    story.run(seconds: 1)
    #expect(story.text.contains("anna: candidate 1 Mine"), "\(story.text)")
    _ = anna
  }

  @Test("11: operators see what is near, whether an item looks for it or not")
  func sightings() {
    let story = DeskStory(.lights { _ in }, scene: [.bulb(1), .stranger(2)])
    let seen = ofGateway(story, "Sightings", #""includesAll":true"#, more: true).compactMap {
      $0.object("device")
    }
    #expect(Set(seen.compactMap { $0.text("address") }) == ["C0:00:00:00:00:01", "C0:00:00:00:00:02"])
  }

  @Test("13: a device that does not take its keys any more is told as that; it stays its app's accessory")
  func bondLost() {
    let (story, _, _) = DeskStory.owning()
    var registry = StandInRegistryFile(story.harness.registry.saved)
    registry.loseBonds()
    let after = DeskStory(.lights { _ in }, scene: [.bulb(1)], registry: registry, run: 2)
    let call = after.app().call("List")
    #expect(call.replies.first?.object("accessory")?.text("bond") == "lost")
    #expect(call.replies.first?.object("accessory")?.integer("state") == 20)
  }

  @Test("14: levels are smoothed, and what is heard no more is lost")
  func smoothed() {
    var bulb = SceneDevice.bulb(1)
    bulb.presence = [.seconds(0, 20)]
    bulb.signal = SignalModel(.steady(-60), sigmaTenths: 80)
    let (story, app, anna) = DeskStory.owning(scene: [bulb])
    let watch = app.call("WatchAdvertisements")
    story.run(seconds: 200)
    let said = watch.replies.compactMap { $0.object("advertisement") }
    #expect(said.first?.text("event") == "found" && said.last?.text("event") == "lost")
    #expect(said.compactMap { $0.integer("filteredRSSI") }.allSatisfy { (-66 ... -54).contains($0) })
    anna.call("List")
    #expect(story.harness.setupCore.registry.accessories.count == 1)
  }
}
