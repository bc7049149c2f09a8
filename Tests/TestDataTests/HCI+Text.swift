// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport

/// A UUID in full: 8-4-4-4-12 lower-case hex digits.
func text(_ uuid: BluetoothUUID) -> String {
  let bytes = [uuid.high, uuid.low].flatMap { half in
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: half >> UInt64(8 * $0)) }
  }
  return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { hexText(bytes[$0]) }.joined(separator: "-")
}

/// An address as it is written: most significant byte first, lower case.
func text(_ address: DeviceAddress) -> String {
  let bytes = (0..<6).reversed().map { UInt8(truncatingIfNeeded: address.bits >> UInt64(8 * $0)) }
  return bytes.map { hexText([$0]) }.joined(separator: ":")
}
