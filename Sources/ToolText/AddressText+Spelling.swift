// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

extension AddressText {
  /// Twelve hexadecimal digits of any case, most significant first, with or without 0x before them and colons, dashes,
  /// underscores, dots or blanks between them, as 48 bits. Before a colon a pair may lack its zero (ether_ntoa(3)).
  public static func bitsInAnySpelling(_ text: String) -> UInt64? {
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    if groups.count == 6, groups[5].utf8.count == 2, groups.allSatisfy({ (1...2).contains($0.utf8.count) }) {
      return bits(groups.map { $0.utf8.count == 1 ? "0\($0)" : String($0) }.joined(separator: ":"))
    }
    let digits = (text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...]).utf8.filter {
      !":-_. ".utf8.contains($0)
    }
    return digits.count == 12 ? Hex.value(String(decoding: digits, as: UTF8.self)) : nil
  }
}
