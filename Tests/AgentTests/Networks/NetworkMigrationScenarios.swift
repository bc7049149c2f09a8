// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Manifest
import Registry
import Setup
import Testing
import VirtualRadio

@Suite("Migration of networks that an app knew before", .overEveryTransport)
struct NetworkMigrationScenarios {
  private static let item = #"{"item":"camera","migrate":{"ssid":"Cam-1"}}"#

  @Test("A network becomes the app's accessory after an operator has agreed, seen or not")
  func agreement() {
    let scenario = SetupScenario(.cameras(), scene: [])
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", #""items":[\#(Self.item)]"#, wait: 1)
    anna.answer("Agree", wait: 1)
    app.call("ShowPicker", #""items":[\#(Self.item)]"#)
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.1 anna: migrate lights answering adds Camera with the network Cam-1, which the app names
        1.0 lights: accessoryAdded a1 Camera authorized Cam-1
        1.0 lights: migrationComplete
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed
        1.0 anna: Agree → done
        2.0 lights: ShowPicker → InvalidRequest items[0].migrate.ssid
        """)
  }

  @Test("A name that the item does not look for, and an item of another kind, are refused")
  func refusals() {
    let manifest = GatewayManifest.cameras().with { manifest in
      var bulb = DisplayItem.bulb
      bulb.descriptor.ssidPrefix = Array("Lumo-".utf8)
      manifest.apps[0].items.append(bulb)
    }
    let scenario = SetupScenario(manifest, scene: [])
    let app = scenario.app()
    for item in [
      #"{"item":"camera","migrate":{"ssid":"Home"}}"#, #"{"item":"camera","migrate":{"ssid":""}}"#,
      #"{"item":"bulb","migrate":{"ssid":"Lumo-7"}}"#, "\(Self.item),\(Self.item)",
    ] {
      app.call("ShowPicker", #""items":[\#(item)]"#)
    }
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lights: ShowPicker → InvalidRequest items[0].migrate.ssid
        0.0 lights: ShowPicker → InvalidRequest items[0].migrate.ssid
        0.0 lights: ShowPicker → InvalidRequest items[0].migrate.ssid
        0.0 lights: ShowPicker → InvalidRequest items[1].migrate.ssid
        """)
  }

  @Test("What Wi-Fi Aware calls the device is kept with the accessory, and so is its service")
  func wifiAware() throws {
    let manifest = GatewayManifest.cameras {
      $0.descriptor.wifiAware = WiFiAwareService(serviceName: Array("_cam._tcp".utf8))
    }
    let scenario = SetupScenario(manifest, scene: [])
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call(
      "ShowPicker",
      #""items":[{"item":"camera","migrate":{"ssid":"Cam-1","wifiAwarePairedDeviceID":"18446744073709551615"}}]"#
    )
    scenario.run(seconds: 1)
    anna.answer("Agree", wait: 1)
    let added = try #require(app.events.last { $0.text("event") == "accessoryAdded" }?.object("accessory"))
    #expect(added.text("wifiAwarePairedDeviceID") == "18446744073709551615")
    #expect(added.object("descriptor")?.text("wifiAwareServiceName") == "_cam._tcp")
    #expect(scenario.harness.setupCore.registry.accessories.first?.wifiAwarePairedDeviceID == .max)
  }

  @Test("Beside an identifier, the name becomes the network of the device")
  func besideIdentifier() throws {
    let manifest = GatewayManifest.lights { $0.descriptor.ssidPrefix = Array("Lumo-".utf8) }
    let (scenario, app, anna) = SetupScenario.owning(manifest, choosing: #""ssid":"Lumo-7""#)
    let added = try #require(app.events.first { $0.text("event") == "accessoryAdded" }?.object("accessory"))
    let identifier = try #require(added.text("bluetoothIdentifier"))
    app.call("RemoveAccessory", about: app.accessory, wait: 1)
    app.call(
      "ShowPicker",
      #""items":[{"item":"bulb","migrate":{"bluetoothIdentifier":"\#(identifier)","ssid":"Lumo-9"}}]"#)
    scenario.run(seconds: 1)
    anna.answer("Agree", wait: 1)
    let back = try #require(app.events.last { $0.text("event") == "accessoryAdded" }?.object("accessory"))
    #expect(back.text("bluetoothIdentifier") == identifier && back.text("ssid") == "Lumo-9")
  }
}
