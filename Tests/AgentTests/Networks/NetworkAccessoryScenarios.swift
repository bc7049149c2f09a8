// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Manifest
import Registry
import Setup
import Testing
import VirtualRadio
import Wireless

@Suite("Accessories that are known by their network", .overEveryTransport)
struct NetworkAccessoryScenarios {
  @Test("A touch never chooses a network, however strong; it goes on waiting for a device")
  func touch() {
    let manifest = GatewayManifest.cameras().with { $0.apps[0].items.append(.touchBulb) }
    let scenario = SetupScenario(manifest, scene: [])
    scenario.call("Operator.Open", #""app":"lights","usesTouch":true"#, user: 0, label: "anna", wait: 1)
    for _ in 0..<4 {
      scenario.scan(HeardNetwork("Cam-1", signal: -10), wait: 15)
    }
    #expect(scenario.harness.setupCore.registry.accessories.isEmpty)
    #expect(scenario.harness.setupCore.requests.count == 1)
    #expect(scenario.harness.signals.isEmpty)
  }

  @Test("A request for the first device at the gateway chooses no network")
  func firstImmediate() {
    let manifest = GatewayManifest.cameras().with { $0.apps[0].items.append(.touchBulb) }
    let scenario = SetupScenario(manifest, scene: [])
    scenario.call("Operator.Open", #""app":"lights","takesFirstImmediate":true"#, user: 0, label: "anna")
    scenario.scan(HeardNetwork("Cam-1", signal: -10), wait: 5)
    #expect(scenario.harness.setupCore.registry.accessories.isEmpty)
  }

  @Test("Automatic setup takes a network by its whole name, and after a removal only once it is allowed")
  func automatic() {
    let manifest = GatewayManifest.cameras { item in
      item.selection = .automatic
      item.descriptor.ssidPrefix = nil
      item.descriptor.ssid = Array("Cam-1".utf8)
    }
    let scenario = SetupScenario(manifest, scene: [])
    let (app, anna) = (scenario.app(), scenario.watcher())
    scenario.scan(HeardNetwork("Cam-11", signal: -20), wait: 10)
    scenario.scan(HeardNetwork("Cam-1"), HeardNetwork("Cam-11"), wait: 10)
    app.call("RemoveAccessory", about: app.accessory)
    scenario.scan(HeardNetwork("Cam-1"), wait: 20)
    #expect(app.events.filter { $0.text("event") == "accessoryAdded" }.count == 1)
    anna.call("Allow", #""app":"lights","device":"Cam-1""#)
    scenario.scan(HeardNetwork("Cam-1"), wait: 10)
    let added = app.events.filter { $0.text("event") == "accessoryAdded" }
    #expect(added.map { $0.object("accessory")?.text("ssid") } == ["Cam-1", "Cam-1"])
  }

  @Test("Automatic setup never takes a network by the beginning of its name")
  func automaticPrefix() {
    let scenario = SetupScenario(.cameras { $0.selection = .automatic }, scene: [])
    scenario.app()
    scenario.scan(HeardNetwork("Cam-1"), wait: 20)
    #expect(scenario.harness.setupCore.registry.accessories.isEmpty)
  }

  @Test("A rename with the option for networks changes the network's stored name, for every app")
  func rename() {
    let (scenario, app, anna) = SetupScenario.owningNetwork(.camerasAndGarden)
    let garden = scenario.app("garden", user: 1001)
    garden.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    app.call("RenameAccessory", about: app.accessory, #""renameOptions":1"#, wait: 1)
    anna.answer("Name", #""name":"Porch""#)
    anna.answer("Name", #""name":"Cam-porch""#, wait: 1)
    #expect(scenario.text.contains("anna: Name → Invalid name"))
    #expect(
      scenario.text.contains("lights: accessoryChanged a1 Cam-porch authorized Cam-porch (displayName ssid)"))
    #expect(
      scenario.text.contains("garden: accessoryChanged a2 Cam-porch authorized Cam-porch (displayName ssid)"))
    #expect(
      scenario.harness.setupCore.registry.devices.map(\.identity) == [.network(Array("Cam-porch".utf8))])
  }

  /// Two apps own the network Cam-1: "lights" by the beginning Cam-, and "garden" as `descriptor` says.
  private func sharing(
    _ descriptor: (inout DiscoveryDescriptor) -> Void
  ) -> (SetupScenario, ScenarioApp, ScenarioOperator) {
    let manifest = GatewayManifest.camerasAndGarden.with { descriptor(&$0.apps[1].items[0].descriptor) }
    let (scenario, app, anna) = SetupScenario.owningNetwork(manifest)
    scenario.app("garden", user: 1001).call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    _ = scenario.takeLines()
    return (scenario, app, anna)
  }

  @Test(
    "A network that another app looks for by its whole name is not renamed; the app learns no more of the other"
  )
  func renameBesideWholeName() {
    let (scenario, app, _) = sharing { descriptor in
      descriptor.ssidPrefix = nil
      descriptor.ssid = Array("Cam-1".utf8)
    }
    let call = app.call("RenameAccessory", about: app.accessory, #""renameOptions":1"#, wait: 1)
    #expect(call.replies.last?.text("reason") == "another app needs the network's present name")
    #expect(scenario.harness.setupCore.requests.isEmpty)
    app.call("FinishAuthorization", about: app.accessory, #""ssid":"Cam-porch""#, wait: 1)
    #expect(
      scenario.harness.setupCore.registry.accessories.map(\.ssid) == [
        Array("Cam-1".utf8), Array("Cam-1".utf8),
      ])
    app.call("RenameAccessory", about: app.accessory, wait: 1)
    #expect(scenario.harness.setupCore.requests.count == 1, "its display name can be changed")
  }

  @Test("A network's new name begins as the item of each app that has it demands")
  func renameBesideLongerPrefix() {
    let (scenario, app, anna) = sharing { $0.ssidPrefix = Array("Cam-1".utf8) }
    app.call("RenameAccessory", about: app.accessory, #""renameOptions":1"#, wait: 1)
    #expect(anna.stream?.replies.last?.object("request")?.text("namePrefix") == "Cam-1")
    anna.answer("Name", #""name":"Cam-porch""#)
    anna.answer("Name", #""name":"Cam-1-porch""#, wait: 1)
    #expect(scenario.text.contains("anna: Name → Invalid name"))
    #expect(
      scenario.harness.setupCore.registry.accessories.map(\.ssid)
        == [Array("Cam-1-porch".utf8), Array("Cam-1-porch".utf8)])
  }

  @Test(
    "An app that is taken out of the manifest, or gets another account, keeps no other app from renaming a network",
    arguments: [true, false])
  func renameBesideInactive(isTakenOut: Bool) {
    let (scenario, app, anna) = sharing { descriptor in
      descriptor.ssidPrefix = nil
      descriptor.ssid = Array("Cam-1".utf8)
    }
    let manifest = isTakenOut ? GatewayManifest.cameras() : .camerasAndGarden
    var access = AccessList.twoApps
    access.appsOfUser[1001] = nil
    access.appsOfUser[1002] = ["garden"]
    scenario.harness.reading = .accepted(
      AgentCore.Configuration(manifest, board: .attentive, access: access), radioSource: "h4:controller",
      warnings: [])
    scenario.harness.readManifestAgain()
    scenario.run(seconds: 1)
    app.call("RenameAccessory", about: app.accessory, #""renameOptions":1"#, wait: 1)
    #expect(anna.stream?.replies.last?.object("request")?.text("namePrefix") == "Cam-")
    anna.answer("Name", #""name":"Cam-porch""#, wait: 1)
    #expect(
      scenario.harness.setupCore.registry.accessories.map(\.ssid)
        == [Array("Cam-porch".utf8), Array("Cam-porch".utf8)])
  }

  @Test("An app that comes to need a network's present name while another is asked for keeps it")
  func renameOvertaken() throws {
    let (scenario, app, anna) = SetupScenario.owningNetwork(
      .camerasAndGarden.with { manifest in
        manifest.apps[1].items[0].descriptor.ssidPrefix = nil
        manifest.apps[1].items[0].descriptor.ssid = Array("Cam-1".utf8)
      })
    let call = app.call("RenameAccessory", about: app.accessory, #""renameOptions":1"#, wait: 1)
    let question = anna.request
    scenario.app("garden", user: 1001).call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    anna.call("Name", #""request":"\#(question)","name":"Cam-porch""#, wait: 1)
    #expect(scenario.text.contains("anna: Name → SetupFailed invalidRequest"), "\(scenario.text)")
    #expect(call.replies.last?.text("reason") == "another app needs the network's present name")
    #expect(
      scenario.harness.setupCore.registry.devices.map(\.identity) == [.network(Array("Cam-1".utf8))])
  }

  @Test("A network that is renamed outside is discoverable again, under its new name")
  func renamedOutside() {
    let (scenario, app, anna) = SetupScenario.owningNetwork()
    let first = app.accessory
    scenario.harness.scan(HeardNetwork("Cam-9"))
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    #expect(scenario.text.contains("accessoryAdded a2 Camera 2 authorized Cam-9"))
    #expect(app.accessory != first)
    #expect(
      scenario.harness.setupCore.registry.accessories.map(\.ssid)
        == [Array("Cam-1".utf8), Array("Cam-9".utf8)])
  }

  @Test("An app's own network is not offered; once it is removed it is, with another identifier")
  func removal() {
    let (scenario, app, anna) = SetupScenario.owningNetwork()
    let first = app.accessory
    app.call("ShowPicker", #""settings":{"discoveryTimeout":"2"}"#)
    scenario.scan(HeardNetwork("Cam-1"), wait: 8)
    let lines = scenario.takeLines()
    #expect(lines.contains("lights: pickerFinished") && !lines.contains("candidate"))
    app.call("RemoveAccessory", about: first, wait: 1)
    #expect(scenario.takeLines().contains("accessoryRemoved a1 Camera authorized Cam-1"))
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    #expect(scenario.text.contains("accessoryAdded a2 Camera authorized Cam-1"))
    #expect(app.accessory != first)
  }

  @Test("Another app gets the network under its first name, as an accessory of its own")
  func isolation() {
    let (scenario, app, anna) = SetupScenario.owningNetwork(.camerasAndGarden)
    let garden = scenario.app("garden", user: 1001)
    anna.call("Rename", #""accessory":"\#(app.accessory)","name":"Porch""#, wait: 1)
    garden.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    #expect(scenario.text.contains("anna: candidate 1 Porch (shared)"))
    #expect(scenario.text.contains("garden: accessoryAdded a2 Porch authorized Cam-1"))
    #expect(!scenario.text.contains("lights: accessoryAdded"))
    garden.call("RemoveAccessory", about: app.accessory)
    garden.call("RenameAccessory", about: app.accessory, #""renameOptions":1"#, wait: 1)
    #expect(scenario.harness.setupCore.registry.accessories.count == 2)
    app.call("RemoveAccessory", about: app.accessory, wait: 1)
    #expect(scenario.harness.setupCore.registry.accessories.map(\.app) == ["garden"])
    #expect(!scenario.text.contains("garden: accessoryRemoved"))
  }

  @Test("The list of accessories says whether a network is in sight, and how strong")
  func list() throws {
    let (scenario, _, _) = SetupScenario.owningNetwork()
    let lines = { scenario.call("Operator.List", "", user: 0, label: "anna").replies }
    let near = try #require(lines().first?.object("accessory"))
    #expect(near.bool("isInSight") && near.integer("filteredRSSI") == -50)
    #expect(near.text("ssid") == "Cam-1" && near["address"] == nil)
    scenario.run(seconds: 40)
    scenario.scan(wait: 40)
    scenario.harness.scan()
    let far = try #require(lines().first?.object("accessory"))
    #expect(!far.bool("isInSight") && far["filteredRSSI"] == nil)
  }

  @Test("An accessory with Bluetooth whose network the app has is not offered a second time")
  func sameNetwork() {
    let manifest = GatewayManifest.cameras().with { manifest in
      var bulb = DisplayItem.bulb
      bulb.descriptor.ssid = Array("Cam-1".utf8)
      manifest.apps[0].items.insert(bulb, at: 0)
    }
    let scenario = SetupScenario(manifest, scene: [.bulb(1)])
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 6)
    _ = scenario.takeLines()
    scenario.harness.scan(HeardNetwork("Cam-1"), HeardNetwork("Cam-2"))
    app.call("ShowPicker", wait: 1)
    #expect(anna.candidates.filter { $0["ssid"] != nil }.allSatisfy { $0.text("ssid") == "Cam-2" })
  }
}
