// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Registry
import RegistrySupport
import Testing

@testable import Setup

@Suite("What the manifest says about accessories")
struct SetupConfigurationTests {
  @Test("Accessories are orphaned or suspended as the manifest says, and active again afterwards")
  func status() throws {
    var registry = AccessoryRegistry()
    try registry.apply(Rows.addition(1))
    let accessory = registry.accessories[0]
    var app = App(name: "lights", account: .user("lights"))
    app.items = [DisplayItem(id: "bulb", name: "Bulb")]
    var manifest = GatewayManifest()
    func status(_ accounts: [String: AccountID]) -> AccessoryStatus {
      SetupConfiguration(manifest, accounts: accounts)
        .status(of: accessory, boundTo: registry.account(ofApp: accessory.app))
    }
    #expect(status([:]) == .orphaned)
    manifest.apps = [app]
    #expect(status([:]) == .suspended)
    #expect(status(["lights": .user(7)]) == .suspended)
    #expect(status(["lights": .user(1000)]) == .active)
    manifest.apps[0].items = []
    #expect(status(["lights": .user(1000)]) == .orphaned)
    // Another account learns nothing, not even about inert accessories.
    #expect(status(["lights": .user(7)]) == .suspended)
  }
}
