// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import ManifestFormat

extension TableReader {
  /// A time in microseconds, within bounds.
  func duration(_ key: Key, in bounds: ClosedRange<Int64>) -> Int64? {
    guard let time = value(key, .duration, Quantity.microseconds) else { return nil }
    guard bounds.contains(time) else {
      report(
        .timeOutOfRange(least: Self.text(of: bounds.lowerBound), most: Self.text(of: bounds.upperBound)),
        at: key)
      return nil
    }
    return time
  }

  /// A time in whole milliseconds, within bounds of milliseconds.
  func milliseconds(_ key: Key, in bounds: ClosedRange<Int64>) -> Int? {
    duration(key, in: (bounds.lowerBound * 1000)...(bounds.upperBound * 1000)).map { Int($0 / 1000) }
  }

  /// Decibels in tenths, from 0 to 100 dB.
  func decibels(_ key: Key) -> Int? {
    guard let tenths = value(key, .decibels, Quantity.tenths) else { return nil }
    guard (0...1000).contains(tenths) else {
      report(.levelOutOfRange, at: key)
      return nil
    }
    return tenths
  }

  /// A share in thousandths.
  func share(_ key: Key) -> Int? {
    value(key, .share) { text in Quantity.perMille(text).flatMap { $0 >= 0 ? $0 : nil } }
  }

  /// dBm.
  func level(_ key: Key) -> Int? { integer(key, in: -127...20) }

  /// The value that belongs to the word in the table, or nil when the word is none of the known ones.
  func word<Value>(_ key: Key, _ known: [(String, Value)]) -> Value? {
    text(key).flatMap { word($0, among: known, at: path(key)) }
  }

  func address(_ key: Key) -> UInt64? { value(key, .address, AddressText.bits) }

  /// Reports keys that this kind of table must not have.
  func refuse(_ keys: [Key], onlyFor what: String) {
    for key in keys where node(key) != nil { report(.onlyFor(what), at: key) }
  }

  private static func text(of microseconds: Int64) -> String {
    if microseconds.isMultiple(of: 1_000_000) { return "\(microseconds / 1_000_000)s" }
    return microseconds.isMultiple(of: 1000) ? "\(microseconds / 1000)ms" : "\(microseconds)us"
  }
}
