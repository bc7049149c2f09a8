// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
import JSON

/// Tells a device's own address from the rest of what it sends: in either order, as bytes or as hex digits.
struct OwnAddress {
  /// As many bytes in a row are no accident, wherever they stand.
  private static let bytesMin = 3
  /// As many may be one.
  private static let pair = 2

  /// In the order of text, and of the air.
  private let orders: [[UInt8]]

  init(_ address: DeviceAddress) {
    let bytes = (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> UInt64(40 - 8 * $0)) }
    orders = [bytes, bytes.reversed()]
  }

  /// The pattern without the bytes that repeat part of the address.
  func removed(from pattern: [BytePattern]) -> [BytePattern] { removed(from: pattern, byteCount: Self.pair) }

  /// Whether a key repeats part of the address, alone or together with the data after it; with `doubtful`, more than
  /// two bytes of it.
  func covers(_ key: [UInt8], before data: [BytePattern] = [], doubtful: Bool = false) -> Bool {
    let whole = removed(
      from: key.map { BytePattern($0) } + data.map(\.whole), byteCount: doubtful ? Self.bytesMin : Self.pair)
    return whole.prefix(key.count).contains(.any)
  }

  /// A name up to the first digits of the address, which many devices put at its end: as many as two bytes have, or with
  /// `doubtful` three. At the end of the name ``tailMin`` are enough.
  func removed(from name: [UInt8], doubtful: Bool = false) -> [UInt8] {
    let text = name.map(\.upperCased)
    let byteCount = doubtful ? Self.bytesMin : Self.pair
    for separator in Self.separators.map({ Array($0.utf8) }) where separator.allSatisfy(text.contains) {
      let count = 2 * byteCount + (byteCount - 1) * separator.count
      if let start = text.indices.first(where: { isOwn(text[$0...].prefix(count), count, between: separator) }
      ) {
        return Array(name[..<start])
      }
    }
    let hasTail = !doubtful && isOwn(text.suffix(Self.tailMin), Self.tailMin)
    return hasTail ? name.dropLast(Self.tailMin) : name
  }

  /// Digits at the end of a name.
  private static let tailMin = 3
  /// Between the bytes, the likeliest first.
  private static let separators = ["", ":", "-", "_", " ", "."]

  /// Whether `count` characters are some of the address as text, which may begin within a byte.
  private func isOwn(_ part: ArraySlice<UInt8>, _ count: Int, between separator: [UInt8] = []) -> Bool {
    let digits = part.filter { !separator.contains($0) }
    guard part.count == count, !digits.allSatisfy({ $0 == UInt8(ascii: "0") }),
      !digits.allSatisfy({ $0 == UInt8(ascii: "F") })
    else { return false }
    return orders.contains { bytes in
      let text = Array(bytes.map { Self.text([$0]) }.joined(separator: separator))
      return text.indices.contains { text[$0...].starts(with: part) }
    }
  }

  private func removed(from pattern: [BytePattern], byteCount: Int) -> [BytePattern] {
    var result = pattern
    let values = pattern.map { $0.mask == 0xFF ? $0.value.upperCased : nil }
    let exact = pattern.map { $0.mask == 0xFF ? $0.value : nil }
    for part in parts(of: byteCount) {
      for (list, wanted) in [(exact, part), (values, Self.text(part))] {
        for index in list.indices where list[index...].starts(with: wanted.map(Optional.some)) {
          for place in index..<(index + wanted.count) { result[place] = .any }
        }
      }
    }
    return result
  }

  /// Every run of `count` bytes of the address, in both orders; zeros are in everything.
  private func parts(of count: Int) -> [[UInt8]] {
    orders.flatMap { bytes in
      (0...(bytes.count - count)).map { Array(bytes[$0..<($0 + count)]) }
    }.filter { part in !part.allSatisfy { $0 == 0 } && !part.allSatisfy { $0 == 0xFF } }
  }

  private static func text(_ part: [UInt8]) -> [UInt8] { Hex(part).text.utf8.map(\.upperCased) }
}

extension UInt8 {
  /// A letter of ASCII as a capital.
  fileprivate var upperCased: UInt8 { (0x61...0x7A).contains(self) ? self - 0x20 : self }
}
