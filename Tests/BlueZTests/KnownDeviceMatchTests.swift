// SPDX-License-Identifier: GPL-3.0-or-later

import BlueZ
import BondFiles
import HCI
import Manifest
import Testing

@Suite("Which items take the devices that BlueZ knows")
struct KnownDeviceMatchTests {
  private static let bulb: KnownDevice = {
    var device = KnownDevice(DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random), name: "Lumo bulb")
    device.serviceUUIDs = [BluetoothUUID(short: 0xFE0F)]
    device.manufacturerData = [0x0EEE: [0xA5, 0x10]]
    return device
  }()
  /// As a folder of stored devices has it.
  private static let stored = KnownDevice(DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random))

  private func descriptor(_ change: (inout DiscoveryDescriptor) -> Void) -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    change(&descriptor)
    return descriptor
  }

  @Test("Every clause is compared; what BlueZ does not have is unknown, and not a match")
  func clauses() {
    let company = descriptor { $0.companyIdentifier = 0x0EEE }
    #expect(Self.bulb.match(company) == .holds && Self.stored.match(company) == .unknown)
    #expect(Self.bulb.match(descriptor { $0.companyIdentifier = 0x004C }) == .fails)
    for (mask, match) in [(0xF0 as UInt8, KnownDevice.Match.holds), (0xFF, .fails)] {
      let blob = descriptor {
        $0.companyIdentifier = 0x0EEE
        $0.manufacturerData = MaskedBytes(blob: [0xA5, 0x1F], mask: [0xFF, mask])
      }
      #expect(Self.bulb.match(blob) == match)
    }
    let service = descriptor { $0.serviceUUID = BluetoothUUID(short: 0xFE0F) }
    #expect(Self.bulb.match(service) == .holds && Self.stored.match(service) == .unknown)
    #expect(Self.bulb.match(descriptor { $0.serviceUUID = BluetoothUUID(short: 0x180A) }) == .fails)
    let name = descriptor { $0.nameSubstring = Array("bulb".utf8) }
    #expect(Self.bulb.match(name) == .holds && Self.stored.match(name) == .unknown)
    #expect(Self.bulb.match(descriptor { $0.nameSubstring = Array("Bulb".utf8) }) == .fails)
    let prefix = descriptor { $0.addressPrefix = AddressPrefix(of: 0xC4A1_0000_0000, byteCount: 2) }
    #expect(Self.stored.match(prefix) == .holds)
  }

  @Test("An app declares the service, the company or the name of a device, as far as BlueZ knows them")
  func declarations() {
    var app = App(name: "dice", account: .user("dice"))
    (app.services, app.companyIdentifiers) = ([BluetoothUUID(short: 0xFE0F)], [0x004C, 0x0EEE])
    app.names = [Array("Lumo".utf8)]
    #expect(Self.bulb.declared(by: app).isEmpty)
    app.supports = [.bluetooth]
    #expect(Self.bulb.declared(by: app) == [.service, .company, .name])
    #expect(Self.stored.declared(by: app).isEmpty)
    (app.services, app.companyIdentifiers) = ([BluetoothUUID(short: 0x180A)], [0x004C])
    #expect(Self.bulb.declared(by: app) == [.name])
  }

  @Test("A clause that fails outweighs one that is unknown, and a network finds no device")
  func combinations() {
    let both = descriptor {
      $0.companyIdentifier = 0x004C
      $0.serviceData = nil
      $0.nameSubstring = Array("Lumo".utf8)
    }
    #expect(Self.bulb.match(both) == .fails)
    #expect(Self.bulb.match(descriptor { $0.ssid = Array("Cam".utf8) }) == .fails)
  }
}
