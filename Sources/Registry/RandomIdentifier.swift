// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Manifest

/// 128 random bits that identify something to one app and reveal nothing about it.
///
/// The caller supplies the randomness; the registry has no source of its own.
public struct RandomIdentifier: Hashable, Sendable, BitwiseCopyable {
  /// The first eight bytes in the order of the text.
  public let high: UInt64
  /// The last eight bytes in the order of the text.
  public let low: UInt64

  public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  public init(_ block: Block128) { self.init(high: block.high, low: block.low) }

  /// Reads 32 hexadecimal digits of any case; nil for anything else.
  public init?(text: some StringProtocol) {
    guard text.utf8.count == 32, let bytes = Hex(digits: text)?.bytes else { return nil }
    self.init(bytes: bytes)
  }

  /// Reads 16 bytes, most significant first; nil for any other count.
  public init?(bytes: [UInt8]) {
    guard let block = Block128(bytes) else { return nil }
    self.init(block)
  }

  /// 16 bytes, most significant first.
  public var bytes: [UInt8] { (low.littleEndianBytes + high.littleEndianBytes).reversed() }

  /// 32 lower-case digits.
  public var text: String { Hex.digits(high, count: 16) + Hex.digits(low, count: 16) }
}
