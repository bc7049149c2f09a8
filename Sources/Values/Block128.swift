// SPDX-License-Identifier: Apache-2.0

/// A 128-bit value, most significant byte first, as FIPS-197 and the Core Specification write keys and blocks.
public struct Block128: Equatable, Sendable, BitwiseCopyable {
  public var bytes: InlineArray<16, UInt8>

  public init(bytes: InlineArray<16, UInt8>) { self.bytes = bytes }

  /// `high` holds the first eight bytes, `low` the last eight.
  public init(high: UInt64, low: UInt64) {
    bytes = InlineArray(repeating: 0)
    for index in 0..<8 {
      bytes[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
      bytes[8 + index] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * index))
    }
  }

  public var high: UInt64 { word(from: 0) }
  public var low: UInt64 { word(from: 8) }

  /// With the bytes in the reverse order.
  public var reversed: Block128 { Block128(high: low.byteSwapped, low: high.byteSwapped) }

  private func word(from start: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in start..<(start + 8) { word = word << 8 | UInt64(bytes[index]) }
    return word
  }

  public static func == (left: Self, right: Self) -> Bool { left.high == right.high && left.low == right.low }
}
