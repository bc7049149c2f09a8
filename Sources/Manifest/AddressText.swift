// SPDX-License-Identifier: GPL-3.0-or-later

/// Device addresses as people write them.
public enum AddressText {
  /// Six pairs of hexadecimal digits between colons, most significant first, as 48 bits.
  public static func bits(_ text: String) -> UInt64? {
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [2, 2, 2, 2, 2, 2] else { return nil }
    return HexText.value(groups.joined())
  }

  /// The low 48 bits as people read them.
  public static func text(of bits: UInt64) -> String {
    stride(from: 40, through: 0, by: -8).map { shift in
      HexText.digits(bits >> UInt64(shift) & 0xFF, count: 2).uppercased()
    }.joined(separator: ":")
  }
}
