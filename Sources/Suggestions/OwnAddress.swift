// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
import JSON

/// Tells a device's own address from the rest of what it sends: in either order, as bytes or as hex digits, with or without
/// separators.
struct OwnAddress {
  /// As many bytes in a row are hardly an accident.
  private static let bytesMin = 2

  /// The address as text.
  private struct Spelling {
    let separator: [UInt8]
    /// In capitals, in both orders.
    let texts: [[UInt8]]
    /// As many characters have the digits of ``bytesMin`` bytes.
    var count: Int { 2 * OwnAddress.bytesMin + (OwnAddress.bytesMin - 1) * separator.count }
  }

  /// In the order of text, and of the air.
  private let orders: [[UInt8]]
  /// The likeliest first.
  private let spellings: [Spelling]

  init(_ address: DeviceAddress) {
    let bytes = (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> UInt64(40 - 8 * $0)) }
    let orders = [bytes, bytes.reversed()]
    self.orders = orders
    spellings = Self.separators.map { separator in
      Spelling(
        separator: Array(separator.utf8),
        texts: orders.map { bytes in Array(bytes.map { Self.text([$0]) }.joined(separator: separator.utf8)) })
    }
  }

  /// Whether a key repeats part of the address, alone or together with the data after it.
  func covers(_ key: [UInt8], before data: [BytePattern] = []) -> Bool {
    removed(from: key.map { BytePattern($0) } + data.map(\.whole)).prefix(key.count).contains(.any)
  }

  /// A name up to the first digits of the address, which many devices put at its end: as many as ``bytesMin`` bytes have.
  /// At the end of the name ``tailMin`` are enough.
  func removed(from name: [UInt8]) -> [UInt8] {
    let text = name.map(\.upperCased)
    for spelling in spellings where spelling.separator.allSatisfy(text.contains) {
      if let start = text.indices.first(where: {
        let part = text[$0...].prefix(spelling.count)
        return part.count == spelling.count && isOwn(part, spelling)
      }) {
        return Array(name[..<start])
      }
    }
    let tail = text.suffix(Self.tailMin)
    return tail.count == Self.tailMin && isOwn(tail, spellings[0]) ? name.dropLast(Self.tailMin) : name
  }

  /// Digits at the end of a name.
  private static let tailMin = 3
  /// Between the bytes, the likeliest first.
  private static let separators = ["", ":", "-", "_", " ", "."]

  /// Whether characters are some of the address as text, which may begin within a byte. Zeros are in everything.
  private func isOwn(_ part: ArraySlice<UInt8>, _ spelling: Spelling) -> Bool {
    let digits = part.filter { !spelling.separator.contains($0) }
    guard !digits.allSatisfy({ $0 == UInt8(ascii: "0") }), !digits.allSatisfy({ $0 == UInt8(ascii: "F") })
    else { return false }
    return spelling.texts.contains { text in text.indices.contains { text[$0...].starts(with: part) } }
  }

  /// The pattern without the bytes that repeat part of the address.
  func removed(from pattern: [BytePattern]) -> [BytePattern] {
    var result = pattern
    let exact = pattern.map { $0.mask == 0xFF ? $0.value : nil }
    for part in parts {
      for index in exact.indices where exact[index...].starts(with: part.map(Optional.some)) {
        for place in index..<(index + part.count) { result[place] = .any }
      }
    }
    // A byte that changes is no digit.
    let text = exact.map { $0?.upperCased ?? 0 }
    for spelling in spellings {
      for index in text.indices.dropLast(spelling.count - 1) where text[index].isCapitalHexDigit {
        guard isOwn(text[index..<(index + spelling.count)], spelling) else { continue }
        for place in index..<(index + spelling.count) { result[place] = .any }
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
  fileprivate var isCapitalHexDigit: Bool { (0x30...0x39).contains(self) || (0x41...0x46).contains(self) }
}
