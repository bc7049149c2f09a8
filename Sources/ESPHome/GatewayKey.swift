// SPDX-License-Identifier: GPL-3.0-or-later

/// The key that clients and the gateway share: 32 bytes, as text in base64 (RFC 4648, 4) of 44 characters.
public struct GatewayKey: Equatable, Sendable {
  public static let byteCount = 32

  public let bytes: [UInt8]

  /// Nil for any other count of bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  public static func random() -> GatewayKey { GatewayKey(exact: Sodium.randomBytes(byteCount)) }

  private init(exact bytes: [UInt8]) { self.bytes = bytes }

  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  public var text: String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: Self.byteCount, by: 3) {
      let group = bytes[start..<min(start + 3, Self.byteCount)]
      var bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      bits <<= 8
      for index in 0..<4 {
        text.append(index <= group.count ? Self.digits[Int(bits >> 26)] : UInt8(ascii: "="))
        bits <<= 6
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil for a text that is no key.
  public init?(text: String) {
    let characters = Array(text.utf8)
    guard characters.count == 44, characters.last == UInt8(ascii: "=") else { return nil }
    var bits: UInt32 = 0
    var bytes: [UInt8] = []
    for (index, character) in characters.dropLast().enumerated() {
      guard let digit = Self.digits.firstIndex(of: character) else { return nil }
      bits = bits << 6 | UInt32(digit)
      guard index % 4 == 3 else { continue }
      bytes += [
        UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
        UInt8(truncatingIfNeeded: bits),
      ]
      bits = 0
    }
    // Three digits are left, the last two bits of which say nothing.
    bytes += [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
    self.init(bytes: bytes)
  }
}
