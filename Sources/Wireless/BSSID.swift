// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The address of the radio that sends a network's beacons: 48 bits (IEEE 802.11-2020, 9.2.4.3.4).
///
/// Several radios may send one network, and one radio several networks; those have different addresses.
public struct BSSID: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The address in the low 48 bits: the byte sent first, which is also written first, is the most significant one.
  public let bits: UInt64

  public init(bits: UInt64) { self.bits = bits & 0xFFFF_FFFF_FFFF }

  /// The address in six bytes, in the order in which they are sent, or nil when there are more or fewer.
  public init?(_ bytes: RawSpan) {
    guard bytes.byteCount == 6 else { return nil }
    bits = (0..<6).reduce(0) { $0 << 8 | UInt64(bytes.uint8(at: $1)) }
  }

  public static func < (left: BSSID, right: BSSID) -> Bool { left.bits < right.bits }

  /// Six bytes as two lower-case hexadecimal digits each, joined by colons.
  public var description: String {
    var text = ""
    text.reserveCapacity(17)
    for index in 0..<6 {
      let byte = UInt8(truncatingIfNeeded: bits >> UInt64(40 - 8 * index))
      if index > 0 { text += ":" }
      if byte < 16 { text += "0" }
      text += String(byte, radix: 16)
    }
    return text
  }
}
