// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Manifest

/// 128 random bits that name something to one app and tell nothing about it.
///
/// Whoever makes one brings the randomness: the rules have none of their own.
public struct RandomIdentifier: Hashable, Sendable, BitwiseCopyable {
  /// The first eight octets as they are written in text.
  public let high: UInt64
  /// The last eight octets as they are written in text.
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  public init(_ block: Block128) { self.init(high: block.high, low: block.low) }

  /// 32 hexadecimal digits of any case; nil for anything else.
  public init?(text: some StringProtocol) {
    guard text.utf8.count == 32, let bytes = HexText.bytes(text) else { return nil }
    self.init(bytes: bytes)
  }

  /// 16 octets, most significant first; nil for another number of them.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// 16 octets, most significant first.
  public var bytes: [UInt8] {
    [high, low].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }

  /// 32 lower-case digits.
  public var text: String { HexText.digits(high, count: 16) + HexText.digits(low, count: 16) }
}
