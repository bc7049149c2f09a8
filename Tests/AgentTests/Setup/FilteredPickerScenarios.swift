// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import HCI
import JSON
import Manifest
import Testing
import Varlink
import VirtualRadio

@Suite("Filtered pickers", .overEveryTransport)
struct FilteredPickerScenarios {
  private func filtered(_ scene: [SceneDevice] = [.bulb(1)]) -> (SetupScenario, ScenarioApp, ScenarioOperator)
  {
    let scenario = SetupScenario(.lights { _ in }, scene: scene)
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", #""settings":{"options":1}"#)
    return (scenario, app, anna)
  }

  @Test("Each device is reported once; the app shows one under its own name, and an operator chooses it")
  func update() {
    let (scenario, app, anna) = filtered([.bulb(1, level: -50), .bulb(2, level: -70)])
    scenario.run(seconds: 5)
    app.call("UpdatePicker", #""items":[{"discovered":2,"name":"The second"}]"#, wait: 1)
    anna.choose(1)
    app.call("UpdatePicker", #""items":[{"discovered":1}]"#, wait: 1)
    app.call("FinishPickerDiscovery")
    anna.choose(1, wait: 1)
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: accessoryDiscovered 1 of item 0
        0.0 lights: accessoryDiscovered 2 of item 0
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights looking filtered, 2 reported
        5.0 anna: setup lights choosing filtered, 2 reported
        5.0 anna: candidate 2 The second
        5.0 lights: UpdatePicker → done
        6.0 anna: Choose → NotFound candidate 1
        6.0 lights: UpdatePicker → done
        6.1 anna: gone 2
        6.1 anna: candidate 1 Lumo bulb
        7.0 lights: FinishPickerDiscovery → done
        7.0 lights: accessoryAdded a1 Lumo bulb authorized
        7.0 lights: pickerDidDismiss
        7.0 lights: pickerFinished
        7.0 anna: Choose → a1 Lumo bulb
        7.1 anna: closed a1 Lumo bulb
        """)
    let discovered = app.events.first { $0.text("event") == "accessoryDiscovered" }?.object("discovered")
    #expect(discovered?.text("bluetoothAdvertisementData") == "02010605ffee0e010105094c756d6f")
    #expect(discovered?.integer("bluetoothRSSI") != nil)
    #expect(discovered?["address"] == nil)
  }

  @Test("A discovered device has its item's descriptor, and says whether it takes connections")
  func discovered() throws {
    var beacon = SceneDevice.bulb(2)
    beacon.advertising = .legacy(.nonConnectable)
    let (scenario, app, _) = filtered([.bulb(1), beacon])
    scenario.run(seconds: 1)
    let devices = app.events.compactMap { $0.object("discovered") }
    #expect(devices.count { $0.bool("connectable") } == 1 && devices.count == 2)
    for device in devices {
      #expect(device.object("descriptor")?.integer("bluetoothCompanyIdentifier") == 0x0EEE)
      guard case .double(let time)? = device["time"] else {
        Issue.record("a device has a time")
        continue
      }
      #expect((0...3).contains(time))
    }
    app.call("CancelPicker", wait: 6)
    let descriptor = #"{"bluetoothCompanyIdentifier":3822}"#
    app.call(
      "ShowPicker", #""items":[{"name":"Lamp","descriptor":\#(descriptor)}],"settings":{"options":1}"#)
    scenario.run(seconds: 1)
    let supplied = try #require(app.events.last?.object("discovered"))
    #expect(supplied["descriptor"] == nil && supplied["connectable"] != nil)
  }

  @Test("The options that the app gives a device replace those of its item, one by one")
  func options() throws {
    let (scenario, app, anna) = SetupScenario.choosing(
      .lights { $0.setupOptions = .rename }, settings: #""options":1"#)
    app.call(
      "UpdatePicker", #""items":[{"discovered":1,"name":"Mine","setupOptions":2,"supportedOptions":4}]"#)
    scenario.run(seconds: 1)
    anna.choose(1, wait: 1)
    app.call("FinishAuthorization", about: app.accessory, wait: 1)
    let added = try #require(app.events.first { $0.text("event") == "accessoryAdded" }?.object("accessory"))
    #expect(added.integer("state") == 10, "the app confirms it, and no operator was asked for a name")
    #expect(added.object("descriptor")?.integer("supportedOptions") == 4)
    #expect(added.object("descriptor")?.integer("bluetoothCompanyIdentifier") == 0x0EEE)
    #expect(app.events.last?.text("event") == "pickerFinished")
  }

  @Test("Options that an update leaves out are again those of the item")
  func itemOptions() {
    let (scenario, app, anna) = SetupScenario.choosing(
      .lights { $0.setupOptions = .rename }, settings: #""options":1"#)
    app.call("UpdatePicker", #""items":[{"discovered":1,"setupOptions":0}]"#)
    app.call("UpdatePicker", #""items":[{"discovered":1,"renameOptions":0}]"#)
    scenario.run(seconds: 1)
    anna.choose(1, wait: 1)
    #expect(app.events.last?.text("event") == "pickerSetupRename")
  }

  @Test(
    "Options that do not exist are refused with the field",
    arguments: [("setupOptions", 8), ("renameOptions", 2), ("supportedOptions", 1)])
  func unknownOptions(name: String, value: Int) throws {
    let (scenario, app, _) = filtered()
    scenario.run(seconds: 1)
    let call = app.call("UpdatePicker", #""items":[{"discovered":1},{"discovered":1,"\#(name)":\#(value)}]"#)
    let refusal = try #require(call.replies.last)
    #expect(refusal.error == "io.accessoryd.Session.InvalidRequest")
    #expect(refusal.text("field") == "items[1].\(name)")
  }

  @Test(
    "A device without a scan response is reported after 300 ms, one with it at once",
    .inMemoryAlone("to the tenth of a second, when a device is found depends on when the radio is read"))
  func scanResponse() {
    var silent = SceneDevice.bulb(2, from: 4)
    silent.scanResponse = nil
    let (scenario, _, _) = filtered([.bulb(1, from: 4), silent])
    #expect(
      scenario.text(after: 4) == """
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights looking filtered, 0 reported
        2.3 lights: accessoryDiscovered 2 of item 0
        2.3 anna: setup lights looking filtered, 1 reported
        2.4 lights: accessoryDiscovered 1 of item 0
        2.4 anna: setup lights looking filtered, 2 reported
        """)
  }

  @Test("An open filtered picker makes the radio request scan responses")
  func nameInScanResponse() throws {
    let manifest = GatewayManifest.lights { _ in }.with { $0.gateway.scan = .auto }
    let scenario = SetupScenario(manifest, scene: [.bulb(1, from: 30)])
    let app = scenario.app()
    #expect(scan(scenario) == "passive")
    app.call("ShowPicker", #""settings":{"options":1,"discoveryTimeout":"short"}"#, wait: 29)
    #expect(scan(scenario) == "active")
    let discovered = app.events.compactMap { $0.object("discovered") }
    #expect(
      discovered.map { $0.text("bluetoothAdvertisementData") } == ["02010605ffee0e010105094c756d6f"])
    app.call("CancelPicker", wait: 1)
    #expect(scan(scenario) == "passive")
  }

  @Test("Any open request makes the radio request names, unless the manifest lets it only listen")
  func nameForOperators() throws {
    for (mode, name) in [(Gateway.Scan.auto, "Lumo"), (.passive, nil)] {
      let manifest = GatewayManifest.lights { _ in }.with { $0.gateway.scan = mode }
      let scenario = SetupScenario(manifest, scene: [.bulb(1)])
      let (app, anna) = (scenario.app(), scenario.watcher())
      #expect(scan(scenario) == "passive")
      app.call("ShowPicker", wait: 2)
      #expect(scan(scenario) == (mode == .auto ? "active" : "passive"))
      #expect(anna.candidates.last?.text("deviceName") == name)
      app.call("CancelPicker", wait: 1)
      #expect(scan(scenario) == "passive")
    }
  }

  @Test(
    "NULs at the end are no part of the name in a picker", arguments: [("Lumo\0\0", "Lumo"), ("\0\0", nil)])
  func paddedName(sent: String, name: String?) {
    var bulb = SceneDevice.bulb(1)
    bulb.scanResponse = AdvertisingPayload().name(sent)
    let scenario = SetupScenario(.lights { _ in }, scene: [bulb])
    let anna = scenario.watcher()
    scenario.app().call("ShowPicker", wait: 2)
    #expect(anna.candidates.count > 0)
    #expect(anna.candidates.last?.text("deviceName") == name)
  }

  private func scan(_ scenario: SetupScenario) -> String? {
    scenario.status()?.object("radio")?.text("scan")
  }

  @Test("Unknown numbers, and pickers that are not filtered, are refused")
  func refusals() {
    let (scenario, app, _) = filtered()
    scenario.run(seconds: 1)
    let unknown = app.call("UpdatePicker", #""items":[{"discovered":1},{"discovered":9}]"#).replies.last
    #expect(unknown?.text("reason") == "the picker has reported no device with the number 9")
    app.call("UpdatePicker", #""items":[{"discovered":-1}]"#)
    app.call("CancelPicker")
    app.call("UpdatePicker", #""items":[]"#)
    app.call("FinishPickerDiscovery", wait: 6)
    app.call("ShowPicker")
    app.call("UpdatePicker", #""items":[]"#)
    app.call("FinishPickerDiscovery")
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: accessoryDiscovered 1 of item 0
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights looking filtered, 1 reported
        1.0 lights: UpdatePicker → InvalidRequest items[1].discovered
        1.0 lights: UpdatePicker → InvalidRequest items[0].discovered
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished userCancelled
        1.0 lights: CancelPicker → done
        1.0 lights: UpdatePicker → InvalidRequest session
        1.0 lights: FinishPickerDiscovery → InvalidRequest session
        1.1 anna: closed userCancelled
        7.0 lights: pickerDidPresent
        7.0 anna: setup lights choosing
        7.0 anna: candidate 1 Lumo bulb
        7.0 lights: ShowPicker → done
        7.0 lights: UpdatePicker → InvalidRequest session
        7.0 lights: FinishPickerDiscovery → InvalidRequest session
        """)
  }

  @Test("FinishPickerDiscovery before an update ends the picker with discoveryTimeout")
  func finishDiscovery() {
    let (scenario, app, _) = filtered()
    scenario.run(seconds: 1)
    app.call("FinishPickerDiscovery", wait: 1)
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: accessoryDiscovered 1 of item 0
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights looking filtered, 1 reported
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished discoveryTimeout
        1.0 anna: closed discoveryTimeout
        1.0 lights: FinishPickerDiscovery → done
        """)
  }

  @Test("An app that receives devices and shows none gets a timeout that says so")
  func nothingShown() {
    let (scenario, app, _) = filtered()
    #expect(
      scenario.text(after: 31) == """
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: accessoryDiscovered 1 of item 0
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights looking filtered, 1 reported
        30.0 lights: pickerDidDismiss
        30.0 lights: pickerFinished discoveryTimeout
        30.0 anna: closed discoveryTimeout
        """)
    let failure = app.events.last?.object("error")
    #expect(failure?.text("reason") == "the app received 1 device and showed none")
  }
}
