// SPDX-License-Identifier: GPL-3.0-or-later

/// Numbers with units as text: a whole number or a decimal fraction, followed by its unit.
///
/// All arithmetic is in integers: TOML's fractions are binary and cannot hold a tenth.
enum Quantity {
  /// Microseconds of `12s`, `9.5s`, `350ms` or `2min`; nil for anything else and beyond a day.
  static func microseconds(_ text: String) -> Int64? {
    let units: [(String, Int64)] = [("min", 60_000_000), ("ms", 1000), ("us", 1), ("s", 1_000_000)]
    return value(text, units, most: 86_400_000_000)
  }

  /// Tenths of a decibel of `2.2dB`.
  static func tenths(_ text: String) -> Int? {
    value(text, [("dB", 10)], most: 1000).map { Int($0) }
  }

  /// Thousandths of `5%` or `0.4%`.
  static func perMille(_ text: String) -> Int? {
    value(text, [("%", 10)], most: 1000).map { Int($0) }
  }

  /// A number of `unit`s, which must be a whole number. A minus sign may precede it.
  private static func value(_ text: String, _ units: [(String, Int64)], most: Int64) -> Int64? {
    guard let (suffix, unit) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
    let isNegative = text.hasPrefix("-")
    let number = text.dropFirst(isNegative ? 1 : 0).dropLast(suffix.count)
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = digits(parts[0]) else { return nil }
    var total = whole * unit
    if parts.count == 2 {
      guard let fraction = digits(parts[1]) else { return nil }
      let scale = parts[1].reduce(Int64(1)) { scale, _ in scale * 10 }
      guard (fraction * unit).isMultiple(of: scale) else { return nil }
      total += fraction * unit / scale
    }
    return total <= most ? (isNegative ? -total : total) : nil
  }

  /// One to six digits.
  private static func digits(_ text: Substring) -> Int64? {
    guard (1...6).contains(text.utf8.count),
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int64(text)
  }
}
