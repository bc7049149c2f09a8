// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
import JSON

/// Tells a device's own address from the rest of what it sends: in either order, as bytes or as hex digits.
struct OwnAddress {
  /// As many bytes in a row are hardly an accident.
  private static let bytesMin = 2

  /// In the order of text, and of the air.
  private let orders: [[UInt8]]

  init(_ address: DeviceAddress) {
    let bytes = (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> UInt64(40 - 8 * $0)) }
    orders = [bytes, bytes.reversed()]
  }

  /// Whether a key repeats part of the address, alone or together with the data after it.
  func covers(_ key: [UInt8], before data: [BytePattern] = []) -> Bool {
    removed(from: key.map { BytePattern($0) } + data.map(\.whole)).prefix(key.count).contains(.any)
  }

  /// A name up to the first digits of the address, which many devices put at its end: as many as ``bytesMin`` bytes have.
  /// At the end of the name ``tailMin`` are enough.
  func removed(from name: [UInt8]) -> [UInt8] {
    let text = name.map(\.upperCased)
    for separator in Self.separators.map({ Array($0.utf8) }) where separator.allSatisfy(text.contains) {
      let count = 2 * Self.bytesMin + (Self.bytesMin - 1) * separator.count
      if let start = text.indices.first(where: { isOwn(text[$0...].prefix(count), count, between: separator) }
      ) {
        return Array(name[..<start])
      }
    }
    return isOwn(text.suffix(Self.tailMin), Self.tailMin) ? name.dropLast(Self.tailMin) : name
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

  /// The pattern without the bytes that repeat part of the address.
  func removed(from pattern: [BytePattern]) -> [BytePattern] {
    var result = pattern
    let values = pattern.map { $0.mask == 0xFF ? $0.value.upperCased : nil }
    let exact = pattern.map { $0.mask == 0xFF ? $0.value : nil }
    for part in parts {
      for (list, wanted) in [(exact, part), (values, Self.text(part))] {
        for index in list.indices where list[index...].starts(with: wanted.map(Optional.some)) {
          for place in index..<(index + wanted.count) { result[place] = .any }
        }
      }
    }
    return result
  }

  /// Every run of ``bytesMin`` bytes of the address, in both orders; zeros are in everything.
  private var parts: [[UInt8]] {
    orders.flatMap { bytes in
      (0...(bytes.count - Self.bytesMin)).map { Array(bytes[$0..<($0 + Self.bytesMin)]) }
    }.filter { part in !part.allSatisfy { $0 == 0 } && !part.allSatisfy { $0 == 0xFF } }
  }

  private static func text(_ part: [UInt8]) -> [UInt8] { Hex(part).text.utf8.map(\.upperCased) }
}

extension UInt8 {
  /// A letter of ASCII as a capital.
  fileprivate var upperCased: UInt8 { (0x61...0x7A).contains(self) ? self - 0x20 : self }
}
