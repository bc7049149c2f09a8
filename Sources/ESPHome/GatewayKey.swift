// SPDX-License-Identifier: GPL-3.0-or-later

/// The key that clients and the gateway share: 32 bytes, as text in base64 (RFC 4648, 4) of 44 characters.
public struct GatewayKey: Equatable, Sendable {
  public static let byteCount = 32

  public let bytes: [UInt8]

  /// Nil for bytes that are no key.
  public init?(bytes: [UInt8]) {
    do throws(GatewayKeyError) { try self.init(checking: bytes) } catch { return nil }
  }

  private init(checking bytes: [UInt8]) throws(GatewayKeyError) {
    guard bytes.count == Self.byteCount else { throw .byteCount(bytes.count) }
    guard bytes.contains(where: { $0 != 0 }) else { throw .zeros }
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
    do throws(GatewayKeyError) { try self.init(parsing: text) } catch { return nil }
  }

  public init(parsing text: String) throws(GatewayKeyError) {
    guard let bytes = Self.decoded(Array(text.utf8)) else { throw .notBase64(text.utf8.count) }
    try self.init(checking: bytes)
  }

  /// Nil for what is not base64.
  private static func decoded(_ characters: [UInt8]) -> [UInt8]? {
    let padding = characters.suffix(2).count { $0 == UInt8(ascii: "=") }
    guard !characters.isEmpty, characters.count % 4 == 0 else { return nil }
    var (bits, count): (UInt32, Int) = (0, 0)
    var bytes: [UInt8] = []
    for character in characters.dropLast(padding) {
      guard let digit = digits.firstIndex(of: character) else { return nil }
      (bits, count) = (bits << 6 | UInt32(digit), count + 6)
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    // The last bits of the last digit say nothing.
    return bytes
  }
}

/// Why a text is no key.
public enum GatewayKeyError: Error, Equatable, Sendable {
  /// With how many characters.
  case notBase64(Int)
  /// Of as many bytes.
  case byteCount(Int)
  /// Home Assistant tries this one to see whether there is a key.
  case zeros
}
