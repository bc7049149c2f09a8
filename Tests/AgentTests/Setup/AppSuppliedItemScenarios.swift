// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import Manifest
import Registry
import Setup
import Testing
import VirtualRadio

@Suite("Items that apps supply in the call", .overEveryTransport)
struct AppSuppliedItemScenarios {
  /// The supplied item, after an item of the manifest that finds nothing here.
  private static let items =
    #""items":[{"item":"bulb"},{"name":"Mine","descriptor":{"bluetoothCompanyIdentifier":3822},"setupOptions":4}]"#

  private func owner(_ scene: [SceneDevice]) -> (SetupScenario, ScenarioApp, ScenarioOperator) {
    let scenario = SetupScenario(
      .lights {
        $0.descriptor.companyIdentifier = nil
        $0.descriptor.serviceUUID = BluetoothUUID(short: 0xFE0F)
      }, scene: scene)
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", Self.items + #","settings":{"discoveryTimeout":"short"}"#, wait: 1)
    anna.choose(wait: 1)
    return (scenario, app, anna)
  }

  @Test(
    "An accessory set up with one is recognised from then on: found, lost and found again; other devices are not",
    .inMemoryAlone("the millisecond in which the radio is read decides about a tenth of a second"))
  func foundAgain() {
    var bulb = SceneDevice.bulb(1)
    bulb.presence = [.seconds(0, 45), .seconds(100, 240)]
    let (scenario, app, _) = owner([bulb, .bulb(2, level: -90), .unknownDevice(3)])
    app.call("WatchAdvertisements", wait: 110)
    app.call("List")
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights choosing
        0.1 anna: candidate 1 Mine
        0.1 anna: candidate 2 Mine
        1.0 lights: accessoryAdded a1 Mine authorized
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed a1 Mine
        1.0 anna: Choose → a1 Mine continues in the app
        2.0 lights: WatchAdvertisements → from #0
        2.0 lights: WatchAdvertisements → #0 found a1
        52.8 lights: WatchAdvertisements → #0 lost a1
        98.3 lights: WatchAdvertisements → #1 found a1
        112.0 lights: List → a1 Mine authorized
        112.0 lights: List → done
        """)
    #expect(scenario.status()?.integer("items") == 1, "the status counts the items of the manifest")
  }

  @Test("One that looks for a name makes the radio request scan responses")
  func nameInScanResponse() {
    let manifest = GatewayManifest.lights { _ in }.with {
      $0.gateway.scan = .auto
      $0.apps[0].names = [Array("Lumo".utf8)]
    }
    let scenario = SetupScenario(manifest, scene: [.bulb(1)])
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call(
      "ShowPicker",
      #""items":[{"name":"Mine","descriptor":{"bluetoothCompanyIdentifier":3822,"bluetoothNameSubstring":"Lumo"}}]"#
    )
    scenario.run(seconds: 1)
    anna.choose(wait: 1)
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights looking
        0.3 anna: setup lights choosing
        0.3 anna: candidate 1 Mine
        1.0 lights: accessoryAdded a1 Mine authorized
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed a1 Mine
        1.0 anna: Choose → a1 Mine
        """)
  }

  @Test("The accessory is recognised after a restart too, when no app supplies the item")
  func restarted() {
    let (scenario, _, _) = owner([.bulb(1)])
    let after = SetupScenario(
      .lights { _ in }, scene: [.bulb(1)], registry: StandInRegistryFile(scenario.harness.registry.saved),
      run: 2
    )
    let app = after.app()
    app.call("WatchAdvertisements")
    app.call("ShowPicker", #""settings":{"discoveryTimeout":"2"}"#)
    after.run(seconds: 3)
    #expect(
      after.text == """
        0.0 lights: activated, a1 Mine authorized
        0.0 lights: WatchAdvertisements → from #0
        0.0 lights: WatchAdvertisements → #0 found a1
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        2.0 lights: pickerDidDismiss
        2.0 lights: pickerFinished discoveryTimeout
        """)
  }

  @Test("An item of the manifest may ask for the prefix of an address, which the accessory does not keep")
  func addressPrefix() throws {
    let manifest = GatewayManifest.lights { item in
      item.descriptor = DiscoveryDescriptor()
      item.descriptor.addressPrefix = AddressPrefix(of: 0xC000_0000_0000, byteCount: 2)
    }
    let (scenario, app, _) = SetupScenario.owning(manifest)
    let accessory = try #require(scenario.harness.setupCore.registry.accessories.first)
    #expect(accessory.descriptor == DiscoveryDescriptor())
    app.call("List")
    #expect(scenario.text.contains("List → a1 Lumo bulb authorized"), "\(scenario.text)")
  }
}
