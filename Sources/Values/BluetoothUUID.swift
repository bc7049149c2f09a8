// SPDX-License-Identifier: Apache-2.0

/// A service UUID in its 128-bit form.
///
/// 16- and 32-bit UUIDs stand for `0000xxxx-0000-1000-8000-00805F9B34FB` and are compared in that form
/// (Core Specification 5.4, Volume 3, Part B, 2.5.1).
@frozen
public struct BluetoothUUID: Hashable, Sendable, BitwiseCopyable {
  /// The first eight bytes as they are written in text, most significant first.
  public let high: UInt64
  /// The last eight bytes as they are written in text.
  public let low: UInt64

  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Expands a 16- or 32-bit UUID with the Bluetooth base UUID.
  @inlinable
  public init(short: UInt32) {
    self.init(high: UInt64(short) << 32 | Self.baseHigh, low: Self.baseLow)
  }

  @usableFromInline static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  @usableFromInline static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  /// The 32-bit alias (16-bit ones have a zero upper half), or nil when the UUID is not on the base UUID.
  @inlinable
  public var short: UInt32? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
    return UInt32(high >> 32)
  }
}
