// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The values that random scenes and manifests are made of: few enough that devices and items often match.
enum Vocabulary {
  static let companies: [UInt16] = [0x0EEE, 0x0EEF, 0x0000]
  static let services = [
    BluetoothUUID(short: 0xFE0F), BluetoothUUID(short: 0xFCD2), BluetoothUUID(short: 0x1234_5678),
    BluetoothUUID(high: 0x7B1F_0001_3A52_4C8E, low: 0x9D60_2F4E_8A6C_1B05),
  ]
  static let names = ["Lumo", "lumo strip", "Keys-tag", "Lock-4F2A"]
  static let nameParts = ["Lumo", "-tag", "Lock-", "LUMO"]
  static let blobs: [[UInt8]] = [[0xA5], [0xA5, 0x5A], [0x40, 0x01], []]

  /// Keys and identities of devices with private addresses; the agent knows them.
  static let identities = [
    IdentityKey(
      key: Block128(high: 0x8F1C_6E20_B7D3_4A95, low: 0x0D62_E9F4_7135_A8CB),
      identity: DeviceAddress(bits: 0xD0E3_4C5B_0201, type: .random)),
    IdentityKey(
      key: Block128(high: 1, low: 2), identity: DeviceAddress(bits: 0x00E0_4C12_3456, type: .public)),
  ]
  /// The key of devices that the agent does not know.
  static let unknownKey = Block128(high: 0x11, low: 0x2233)
}
