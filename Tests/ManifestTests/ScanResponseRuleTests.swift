// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Testing

@Suite("Whether a manifest needs scan responses")
struct ScanResponseRuleTests {
  private func needs(alternate: Bool = false, _ change: (inout DiscoveryDescriptor) -> Void) -> Bool {
    var descriptor = DiscoveryDescriptor()
    change(&descriptor)
    var item = DisplayItem(id: "bulb", name: "Bulb")
    if alternate {
      item.descriptor.companyIdentifier = 1
      item.alternate = descriptor
    } else {
      item.descriptor = descriptor
    }
    var app = App(name: "lights", account: .user("lights"))
    app.items = [DisplayItem(id: "gate", name: "Gate"), item]
    var manifest = GatewayManifest()
    manifest.apps = [App(name: "none", account: .user("none")), app]
    return manifest.needsScanResponses
  }

  @Test("A name does, in a second identity too")
  func names() {
    #expect(needs { ($0.companyIdentifier, $0.nameSubstring) = (1, [0x4C]) })
    #expect(needs(alternate: true) { ($0.serviceUUID, $0.nameSubstring) = (BluetoothUUID(short: 1), [0x4C]) })
  }

  @Test("A service does, unless its data is looked for")
  func services() {
    #expect(needs { $0.serviceUUID = BluetoothUUID(short: 0xFE59) })
    #expect(
      !needs { ($0.serviceUUID, $0.serviceData) = (BluetoothUUID(short: 0xFCD2), MaskedBytes(blob: [0x40])) })
  }

  @Test("A company and its data do not, nor do networks, nor does an empty manifest")
  func others() {
    #expect(!needs { ($0.companyIdentifier, $0.manufacturerData) = (0, MaskedBytes(blob: [1])) })
    #expect(!needs { $0.ssid = [0x47] })
    #expect(!GatewayManifest().needsScanResponses)
  }
}
