// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import VirtualRadio

/// Identifiers of no particular company.
enum Sample {
  static let company: UInt16 = 0x0EEE
  static let otherCompany: UInt16 = 0x0EEF
  static let service = BluetoothUUID(short: 0xFE0F)
  static let otherService = BluetoothUUID(short: 0x180D)
  static let longService = BluetoothUUID(high: 0x7B1F_0001_3A52_4C8E, low: 0x9D60_2F4E_8A6C_1B05)
}

extension DiscoveryDescriptor {
  static func company(_ identifier: UInt16) -> Self {
    var descriptor = Self()
    descriptor.companyIdentifier = identifier
    return descriptor
  }

  static func service(_ uuid: BluetoothUUID) -> Self {
    var descriptor = Self()
    descriptor.serviceUUID = uuid
    return descriptor
  }

  func service(_ uuid: BluetoothUUID) -> Self {
    var descriptor = self
    descriptor.serviceUUID = uuid
    return descriptor
  }

  func manufacturerData(_ blob: [UInt8], mask: [UInt8]? = nil) -> Self {
    var descriptor = self
    descriptor.manufacturerData = MaskedBytes(blob: blob, mask: mask ?? Self.everyBit(of: blob))
    return descriptor
  }

  func serviceData(_ blob: [UInt8], mask: [UInt8]? = nil) -> Self {
    var descriptor = self
    descriptor.serviceData = MaskedBytes(blob: blob, mask: mask ?? Self.everyBit(of: blob))
    return descriptor
  }

  func named(_ substring: String, _ options: CompareOptions = []) -> Self {
    named(Array(substring.utf8), options)
  }

  func named(_ substring: [UInt8], _ options: CompareOptions = []) -> Self {
    var descriptor = self
    descriptor.nameSubstring = substring
    descriptor.nameCompareOptions = options
    return descriptor
  }

  /// An address that begins like this text.
  func address(_ prefix: String) -> Self {
    var descriptor = self
    descriptor.addressPrefix = AddressText.prefix(prefix)
    return descriptor
  }

  private static func everyBit(of blob: [UInt8]) -> [UInt8] { [UInt8](repeating: 0xFF, count: blob.count) }
}

extension AdvertisingPayload {
  /// Manufacturer data of the sample company.
  static func testCompany(_ payload: [UInt8]) -> Self {
    Self().manufacturerData(Sample.company, payload)
  }
}
