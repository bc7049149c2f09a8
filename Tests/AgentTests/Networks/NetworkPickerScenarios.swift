// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Manifest
import Registry
import Setup
import Testing
import VirtualRadio
import Wireless

@Suite("Pickers that find accessories by their network", .overEveryTransport)
struct NetworkPickerScenarios {
  @Test("From ShowPicker to an accessory with its network's name")
  func choice() {
    let scenario = SetupScenario(.cameras(), scene: [])
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", wait: 1)
    scenario.scan(HeardNetwork("Cam-1"), HeardNetwork("Home"), wait: 1)
    anna.choose(wait: 1)
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights looking
        1.3 anna: setup lights choosing
        1.3 anna: candidate 1 Camera
        2.0 lights: accessoryAdded a1 Camera authorized Cam-1
        2.0 lights: pickerDidDismiss
        2.0 lights: pickerFinished
        2.0 anna: closed a1 Camera
        2.0 anna: Choose → a1 Camera
        """)
    let device = scenario.harness.setupCore.registry.devices.first
    #expect(device?.identity == .network(Array("Cam-1".utf8)) && device?.isIdentityDurable == true)
  }

  @Test(
    "An item with Wi-Fi Aware properties alone has no candidate, and the request says what a gateway would need"
  )
  func wifiAwareAlone() throws {
    let manifest = GatewayManifest.cameras {
      $0.descriptor = DiscoveryDescriptor()
      $0.descriptor.wifiAware = WiFiAwareService(serviceName: Array("Cam-1".utf8))
    }
    let scenario = SetupScenario(manifest)
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker")
    scenario.scan(HeardNetwork("Cam-1"), wait: 40)
    #expect(anna.candidates.isEmpty)
    #expect(anna.reasonsNothingIsFound == [WiFiAwareService.reasonNothingIsFound])
    let error = app.events.last { $0.text("event") == "pickerFinished" }?.object("error")
    #expect(
      error?.integer("code") == 200 && error?.text("reason") == WiFiAwareService.reasonNothingIsSearched)
    #expect(WiFiAwareService.reasonNothingIsFound.contains("wpa_supplicant newer than 2.11"))
  }

  @Test("A network that was seen before the picker opened is offered at once")
  func known() {
    let scenario = SetupScenario(.cameras(), scene: [])
    scenario.harness.scan(HeardNetwork("Cam-1"))
    let (app, anna) = (scenario.app(), scenario.watcher())
    scenario.run(seconds: 20)
    app.call("ShowPicker", wait: 1)
    #expect(anna.candidates.last?.text("ssid") == "Cam-1")
    #expect(anna.candidates.last?["silence"] != nil)
  }

  @Test("A network that has not been seen for three minutes is not offered, and is again when it is seen")
  func stale() {
    let scenario = SetupScenario(.cameras(), scene: [])
    scenario.scan(HeardNetwork("Cam-1"), wait: 200)
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", wait: 1)
    #expect(anna.candidates.isEmpty)
    scenario.scan(HeardNetwork("Cam-1"), wait: 1)
    #expect(anna.candidates.count == 1)
  }

  @Test("Candidates carry name, signal, security and age; beside those of Bluetooth, each under its item")
  func candidates() throws {
    let manifest = GatewayManifest.cameras().with { $0.apps[0].items.insert(.bulb, at: 0) }
    let scenario = SetupScenario(manifest, scene: [.bulb(1)])
    let (app, anna) = (scenario.app(), scenario.watcher())
    var open = HeardNetwork("Cam-2", signal: -71)
    open.security = .open
    scenario.harness.scan(HeardNetwork("Cam-1", signal: -40), open)
    app.call("ShowPicker", wait: 1)
    let networks = anna.candidates.filter { $0["ssid"] != nil }
    let first = try #require(networks.first { $0.text("ssid") == "Cam-1" })
    #expect(first.integer("rssi") == -40 && first.text("security") == "wpa2")
    #expect(first.integer("itemIndex") == 1 && first.text("name") == "Camera")
    #expect(first["address"] == nil && first["filteredRSSI"] == nil && first["silence"] != nil)
    #expect(networks.contains { $0.text("ssid") == "Cam-2" && $0.text("security") == "open" })
    let bulb = try #require(anna.candidates.first { $0["ssid"] == nil })
    #expect(bulb.integer("itemIndex") == 0 && bulb.text("address") == "C0:00:00:00:00:01")
  }

  @Test("With Bluetooth clauses, only those are matched, and the network is granted with the choice")
  func besideBluetooth() {
    let manifest = GatewayManifest.lights { $0.descriptor.ssid = Array("Cam-1".utf8) }
      .with { manifest in
        manifest.gateway.wifi = "wlan1"
        manifest.apps[0].supports = [.bluetooth, .wifi]
      }
    let (scenario, app, anna) = SetupScenario.choosing(manifest, scene: [])
    scenario.scan(HeardNetwork("Cam-1"), wait: 5)
    #expect(anna.candidates.isEmpty, "the network alone is no candidate")
    scenario.harness.radioComes([.bulb(1)])
    scenario.run(seconds: 5)
    anna.choose(wait: 1)
    let added = app.events.first { $0.text("event") == "accessoryAdded" }?.object("accessory")
    #expect(added?.text("ssid") == "Cam-1" && added?.text("bluetoothIdentifier") != nil)
  }

  @Test(
    "Names are bytes: NULs, ill-formed UTF-8, controls and lists keep every byte",
    arguments: [
      [0x43, 0x61, 0x6D, 0x2D, 0x00, 0x31], [0x43, 0x61, 0x6D, 0x2D, 0xFF, 0xC3],
      Array("Cam-\u{1B}[31m".utf8), Array("Cam-\u{202E}1".utf8), Array("Cam-1;2;3".utf8),
      Array("Cam- ".utf8), Array("Cam-0x41".utf8), Array("Cam-".utf8) + Array(repeating: 0xE2, count: 28),
    ] as [[UInt8]])
  func bytes(name: [UInt8]) throws {
    let (scenario, app, anna) = SetupScenario.choosingNetworks(.cameras(), [HeardNetwork(name)])
    let candidate = try #require(anna.candidates.last)
    let text = String(decoding: name, as: UTF8.self)
    // No text of a message holds NUL.
    let isText = Array(text.utf8) == name && !name.contains(0)
    let hex = name.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(candidate.text("ssidHex") == (isText ? nil : hex))
    anna.choose(wait: 1)
    let added = try #require(app.events.first { $0.text("event") == "accessoryAdded" }?.object("accessory"))
    #expect(added.text("ssidHex") == (isText ? nil : hex))
    #expect([candidate, added].allSatisfy { $0.text("ssid")?.utf8.contains(0) == false })
    #expect(scenario.harness.setupCore.registry.accessories.first?.ssid == name)
  }

  @Test("A hidden network, and one whose name only looks like the prefix, are no candidates")
  func others() {
    let (_, _, anna) = SetupScenario.choosingNetworks(
      .cameras(),
      [
        HeardNetwork([]), HeardNetwork([0, 0, 0, 0, 0]), HeardNetwork("Cam"), HeardNetwork("cam-1"),
        HeardNetwork(" Cam-1"),
      ])
    #expect(anna.candidates.isEmpty)
  }

  @Test("A network without which two scans of a minute have completed is gone")
  func gone() {
    let (scenario, _, _) = SetupScenario.choosingNetworks()
    scenario.run(seconds: 30)
    scenario.scan(wait: 10)
    #expect(scenario.text.isEmpty, "one scan may miss a beacon")
    scenario.run(seconds: 20)
    scenario.scan(wait: 1)
    #expect(scenario.text.hasSuffix("anna: gone 1"))
  }

  @Test("Several radios of one name are one candidate, with the strongest signal")
  func radios() {
    let (_, _, anna) = SetupScenario.choosingNetworks(
      .cameras(), [HeardNetwork("Cam-1", signal: -70), HeardNetwork("Cam-1", signal: -45)])
    #expect(Set(anna.candidates.map { $0.integer("candidate") }) == [1])
    #expect(anna.candidates.last?.integer("rssi") == -45)
  }

  @Test("A filtered picker reports a network with its name, and shows what its app wants shown")
  func filtered() throws {
    let (scenario, app, anna) = SetupScenario.choosingNetworks(
      .cameras(), [HeardNetwork("Cam-1", signal: -44), HeardNetwork([0x43, 0x61, 0x6D, 0x2D, 0xFF, 0x00])],
      settings: #""options":1"#)
    let found = app.events.compactMap { $0.object("discovered") }
    let first = try #require(found.first { $0.text("ssid") == "Cam-1" })
    #expect(first.integer("signal") == -44 && first.integer("itemIndex") == 0)
    for name in ["bluetoothAdvertisementData", "bluetoothRSSI", "connectable", "address"] {
      #expect(first[name] == nil, "\(name)")
    }
    #expect(found.contains { $0.text("ssidHex") == "43616d2dff00" })
    #expect(found.contains { $0.text("ssid") == "Cam-\u{FFFD}\u{FFFD}" })
    #expect(anna.candidates.isEmpty)
    let number = try #require(first.integer("discovered"))
    app.call("UpdatePicker", #""items":[{"discovered":\#(number),"name":"Porch"}]"#, wait: 1)
    anna.choose(Int(number), wait: 1)
    #expect(scenario.text.contains("accessoryAdded a1 Porch authorized Cam-1"))
  }

  @Test("Choose refuses a name for a candidate that has its name already")
  func nameInChoice() {
    let (scenario, _, anna) = SetupScenario.choosingNetworks()
    anna.choose(1, #""ssid":"Cam-2""#)
    anna.choose(1, #""name":"Porch""#, wait: 1)
    #expect(
      scenario.text == """
        1.0 anna: Choose → Invalid ssid
        1.0 lights: accessoryAdded a1 Porch authorized Cam-1
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed a1 Porch
        1.0 anna: Choose → a1 Porch
        """)
  }

  @Test("A name that is typed at setup is not the network's, by which the app joins it")
  func renameAtSetup() {
    let (scenario, _, anna) = SetupScenario.choosingNetworks(
      .cameras { ($0.setupOptions, $0.renameOptions) = (.rename, .ssid) })
    anna.choose(1, #""name":"Porch""#, wait: 1)
    #expect(scenario.text.contains("accessoryAdded a1 Porch authorized Cam-1"))
  }

  @Test("An app that has to confirm gets the name first, and may give the accessory back")
  func confirmation() {
    let (scenario, app, anna) = SetupScenario.choosingNetworks(
      .cameras { $0.setupOptions = .confirmAuthorization })
    anna.choose(wait: 1)
    app.call("FinishAuthorization", about: app.accessory, #""ssid":"Other""#)
    app.call("FinishAuthorization", about: app.accessory, #""ssid":"Cam-2""#)
    app.call("FinishAuthorization", about: app.accessory, wait: 1)
    #expect(
      scenario.text == """
        1.0 lights: accessoryAdded a1 Camera awaitingAuthorization Cam-1
        1.0 anna: setup lights confirming Camera
        1.0 anna: gone 1
        1.0 anna: Choose → a1 Camera awaits its app
        2.0 lights: FinishAuthorization → InvalidRequest ssid
        2.0 lights: FinishAuthorization → InvalidRequest ssid
        2.0 lights: accessoryChanged a1 Camera authorized Cam-1 (state)
        2.0 lights: pickerDidDismiss
        2.0 lights: pickerFinished
        2.0 lights: FinishAuthorization → a1 Camera authorized Cam-1
        2.1 anna: closed a1 Camera
        """)
    let (refused, cautious, ben) = SetupScenario.choosingNetworks(
      .cameras { $0.setupOptions = .confirmAuthorization })
    ben.choose()
    refused.run(seconds: 1)
    cautious.call("FailAuthorization", about: cautious.accessory)
    refused.run(seconds: 1)
    #expect(refused.text.contains("accessoryRemoved a1 Camera awaitingAuthorization Cam-1"))
    #expect(refused.harness.setupCore.registry.accessories.isEmpty)
  }

  @Test("A request for one network takes it when it is found, and no other")
  func oneNetwork() {
    let scenario = SetupScenario(.cameras(), scene: [])
    let anna = scenario.watcher()
    anna.call("Open", #""app":"lights","network":"Cam-2""#, wait: 1)
    scenario.scan(HeardNetwork("Cam-1", signal: -30), HeardNetwork("Cam-22"), wait: 5)
    #expect(scenario.harness.setupCore.registry.accessories.isEmpty)
    scenario.scan(HeardNetwork("Cam-2", signal: -80), wait: 2)
    #expect(scenario.harness.setupCore.registry.accessories.map(\.ssid) == [Array("Cam-2".utf8)])
    _ = scenario.takeLines()
    anna.call("Open", #""app":"lights","network":"Cam-2""#)
    anna.call("Open", #""app":"lights","network":"""#)
    anna.call("Open", #""app":"lights","network":"Cam-3","device":"C0:00:00:00:00:01""#)
    #expect(
      scenario.text == """
        8.0 anna: Open → SetupFailed invalidRequest
        8.0 anna: Open → Invalid network
        8.0 anna: Open → Invalid network
        """)
  }

  @Test("A request for a network of an app without such an item is refused")
  func noSuchItem() {
    let scenario = SetupScenario(.lights { _ in }, scene: [])
    scenario.call("Operator.Open", #""app":"lights","network":"Cam-1""#, user: 0, label: "anna")
    #expect(scenario.text == "0.0 anna: Open → Invalid network")
  }

  @Test("A request for a network whose name matches no item is refused at once")
  func otherName() {
    let scenario = SetupScenario(.cameras(), scene: [])
    let call = scenario.call("Operator.Open", #""app":"lights","network":"Other""#, user: 0, label: "anna")
    #expect(scenario.text == "0.0 anna: Open → Invalid network")
    #expect(call.replies.last?.text("reason")?.hasPrefix("none of the items looks for this name;") == true)
    #expect(scenario.harness.setupCore.requests.isEmpty)
  }

  @Test(
    "A picker for networks alone shows why the gateway can read none, and fails with that reason",
    arguments: [
      (nil, Gateway.reasonNoNetworkIsRead),
      ("wlan1", WirelessError.interfaceMissing.sentence(interface: "wlan1")),
    ])
  func noInterface(wifi: String?, reason: String) throws {
    let scenario = SetupScenario(.cameras().with { $0.gateway.wifi = wifi }, scene: [])
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", wait: 2)
    #expect(anna.reasonsNothingIsFound == ["finds nothing now: \(reason)"])
    scenario.run(seconds: 29)
    let error = try #require(app.events.last?.object("error"))
    #expect(error.text("name") == "connectionFailed")
    #expect(error.text("reason") == reason)
  }

  @Test("A picker for devices too says of its networks that none can be read, and again when it ends")
  func noInterfaceBesideDevices() throws {
    let reason = WirelessError.interfaceMissing.sentence(interface: "wlan1")
    let manifest = GatewayManifest.cameras().with { $0.apps[0].items.insert(.bulb, at: 0) }
    let scenario = SetupScenario(manifest, scene: [])
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", wait: 2)
    #expect(anna.reasonsNothingIsFound == [nil, "finds nothing now: \(reason)"])
    scenario.run(seconds: 29)
    let error = try #require(app.events.last?.object("error"))
    #expect(error.text("name") == "discoveryTimeout")
    #expect(error.text("reason") == "nothing that matches was found, and networks cannot be read: \(reason)")
    #expect(error.text("cure")?.hasPrefix("bring the accessory near") == true)
  }

  @Test(
    "A request for one network ends with the reason why none can be read, whatever else its app looks for")
  func noInterfaceForOneNetwork() throws {
    let manifest = GatewayManifest.cameras().with { $0.apps[0].items.insert(.bulb, at: 0) }
    let scenario = SetupScenario(manifest, scene: [])
    let anna = scenario.watcher()
    anna.call("Open", #""app":"lights","network":"Cam-2""#, wait: 31)
    let ending = try #require(anna.stream?.replies.last { $0.text("closed") != nil })
    #expect(ending.text("failure") == "connectionFailed")
    #expect(ending.text("reason") == WirelessError.interfaceMissing.sentence(interface: "wlan1"))
  }

  @Test("A picker for networks alone does not need the Bluetooth radio")
  func noRadio() {
    let (scenario, app, anna) = SetupScenario.choosingNetworks()
    scenario.harness.radioVanishes()
    anna.choose(wait: 1)
    #expect(app.events.contains { $0.text("event") == "accessoryAdded" })
  }

  @Test("An item that the app supplies finds networks too")
  func appSupplied() {
    let scenario = SetupScenario(.cameras { $0.selection = .observe }, scene: [])
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", #""items":[{"name":"Mine","descriptor":{"ssid":"Cam-7"}}]"#)
    scenario.scan(HeardNetwork("Cam-7"), HeardNetwork("Cam-1"), wait: 1)
    anna.choose(wait: 1)
    #expect(scenario.text.contains("accessoryAdded a1 Mine authorized Cam-7"))
    #expect(!scenario.text.contains("candidate 2"))
  }
}

extension ScenarioOperator {
  /// Why nothing is found by each item of the request, as last received.
  fileprivate var reasonsNothingIsFound: [String?]? {
    let requests = stream?.replies.compactMap { $0.object("request") }
    return requests?.last?.objects("items").map { $0.text("reasonNothingIsFound") }
  }
}
