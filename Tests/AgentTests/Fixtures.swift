// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import VirtualRadio

extension GatewayManifest {
  /// One app with a bulb found anywhere, and one that must be held at the gateway.
  static var lights: GatewayManifest {
    var manifest = GatewayManifest()
    manifest.gateway.radio = .h4("bench")
    manifest.gateway.scan = .active
    var app = App(name: "lights", account: .user("lights"))
    app.supports = [.bluetooth]
    app.companyIdentifiers = [0x0EEE]
    app.items = [.bulb, .touchBulb]
    manifest.apps = [app]
    return manifest
  }

  func with(_ change: (inout GatewayManifest) -> Void) -> GatewayManifest {
    var manifest = self
    change(&manifest)
    return manifest
  }
}

extension DisplayItem {
  /// Lost after 10 s, however shortly it was heard.
  static var bulb: DisplayItem {
    var item = DisplayItem(id: "bulb", name: "Lumo bulb")
    item.descriptor.companyIdentifier = 0x0EEE
    item.gate.lostMillisecondsMax = 10_000
    return item
  }

  static var touchBulb: DisplayItem {
    var item = DisplayItem(id: "held", name: "Lumo bulb, held")
    item.descriptor.companyIdentifier = 0x0EEE
    item.descriptor.range = .immediate
    item.gate.isImmediate = true
    return item
  }
}

extension SceneDevice {
  /// A bulb that advertises ten times a second, at a level in dBm.
  static func bulb(_ number: UInt64, level: Int = -60) -> SceneDevice {
    SceneDevice(
      .staticRandom(number),
      payloads: PayloadScript(
        AdvertisingPayload().flags(0x06).manufacturerData(0x0EEE, [1, UInt8(truncatingIfNeeded: number)])),
      scanResponse: AdvertisingPayload().name("Lumo"), intervalMilliseconds: 100,
      signal: SignalModel(.steady(level)))
  }

  /// A device that no item looks for.
  static func unknownDevice(_ number: UInt64) -> SceneDevice {
    SceneDevice(
      .staticRandom(number),
      payloads: PayloadScript(AdvertisingPayload().flags(0x06).manufacturerData(0x004C, [2])),
      intervalMilliseconds: 200, signal: SignalModel(.steady(-70)))
  }
}
