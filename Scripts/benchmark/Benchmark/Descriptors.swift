// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest

/// Manifests of any size for the stream.
enum Descriptors {
  /// The targets are of three makers.
  static func targetCompany(_ index: Int) -> UInt16 { 0x0EEE + UInt16(index % 3) }

  /// One in ten has a key that occurs in the stream and a value that does not. Of the others the first twelve find the
  /// stream's targets, and the rest look for keys that never come. No key has more than four distinct masks.
  static func mixed(_ count: Int) -> GatewayManifest {
    manifest(
      (0..<count).map { index in
        if index < Stream.targetCount { return target(index) }
        return index % 10 == 0 ? nearMiss(index) : absent(index)
      })
  }

  /// All descriptors on one company identifier that half the stream carries, with `count` distinct masks.
  static func oneKey(_ count: Int, masks: Int) -> GatewayManifest {
    manifest(
      (0..<count).map { index in
        var descriptor = DiscoveryDescriptor()
        descriptor.companyIdentifier = 0x004C
        let mask = index % masks
        descriptor.manufacturerData = MaskedBytes(
          blob: [0xE0 | UInt8(index & 0x1F), UInt8(index >> 5 & 0xFF), UInt8(index >> 13), 0xFF],
          mask: [0xFF, 0xFF, UInt8(mask & 0xFF), UInt8(mask >> 8 | 0x80)])
        return descriptor
      })
  }

  private static func manifest(_ descriptors: [DiscoveryDescriptor]) -> GatewayManifest {
    var app = App(name: "benchmark", account: .user("nobody"))
    app.items = descriptors.enumerated().map { index, descriptor in
      var item = DisplayItem(id: "item-\(index)", name: "Item \(index)")
      item.descriptor = descriptor
      return item
    }
    var manifest = GatewayManifest()
    manifest.apps = [app]
    return manifest
  }

  private static func target(_ index: Int) -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    descriptor.companyIdentifier = targetCompany(index)
    descriptor.manufacturerData = MaskedBytes(blob: [0xA5, UInt8(index), 0x10], mask: [0xFF, 0xFF, 0xF0])
    return descriptor
  }

  private static func nearMiss(_ index: Int) -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    let value = [UInt8(index >> 8) | 0x80, UInt8(index & 0xFF), 0x55, 0xAA]
    if index % 20 == 9 {
      descriptor.companyIdentifier = index % 40 == 9 ? 0x004C : 0x0006
      descriptor.manufacturerData = MaskedBytes(blob: value, mask: mask(index / 40))
    } else {
      descriptor.serviceUUID = BluetoothUUID(short: 0xFD00 + UInt32(index / 20 % 64))
      descriptor.serviceData = MaskedBytes(blob: value, mask: mask(index / 20 / 64))
    }
    return descriptor
  }

  private static func absent(_ index: Int) -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    switch index % 5 {
    case 0, 1, 2:
      descriptor.companyIdentifier = UInt16(0x2000 + index / 2)
      descriptor.manufacturerData = MaskedBytes(blob: [1, 2, 3, 4], mask: mask(index))
    case 3:
      descriptor.serviceUUID = BluetoothUUID(short: 0x2000 + UInt32(index))
    default:
      descriptor.serviceUUID = BluetoothUUID(high: UInt64(index) << 32 | 0x4000, low: 0x8000_1234_5678_9ABC)
    }
    return descriptor
  }

  private static func mask(_ index: Int) -> [UInt8] {
    switch index % 4 {
    case 0: [0xFF, 0xFF, 0xFF, 0xFF]
    case 1: [0xFF, 0xFF, 0x00, 0x00]
    case 2: [0xFF, 0xFF, 0xF0, 0x0F]
    default: [0xFF, 0xFF, 0x00, 0xFF]
    }
  }
}
