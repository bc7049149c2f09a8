// SPDX-License-Identifier: GPL-3.0-or-later

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

  /// Whether a key repeats part of the address, alone or together with the data after it.
  func covers(_ key: [UInt8], before data: [BytePattern]) -> Bool {
    let whole = removed(from: key.map { BytePattern($0) } + data.map(\.whole), byteCount: Self.bytesMin)
    return whole.prefix(key.count).contains(.any)
  }

  /// Whether a key of two bytes is two bytes of the address.
  func isPair(_ key: [UInt8]) -> Bool {
    key.count == Self.pair && parts(of: Self.pair).contains { $0 == key }
  }

  /// A name up to the first digits of the address, which many devices put at its end.
  func removed(from name: [UInt8]) -> [UInt8] {
    let text = name.map(\.upperCased)
    for separator in Self.separators {
      let wanted = parts(of: Self.pair).map { part in
        Self.text([part[0]]) + Array(separator.utf8) + Self.text([part[1]])
      }
      let start = text.indices.first { start in wanted.contains { text[start...].starts(with: $0) } }
      if let start { return Array(name[..<start]) }
    }
    return name
  }

  /// Between the bytes, the likeliest first.
  private static let separators = ["", ":", "-", "_", " ", "."]

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
