// SPDX-License-Identifier: Apache-2.0

/// The UUID of an attribute, in its 128-bit form.
///
/// 16-bit UUIDs stand for `0000xxxx-0000-1000-8000-00805F9B34FB` and equal that form (Core Specification 5.4, Volume 3,
/// Part F, 3.2.1).
public struct AttributeUUID: Hashable, Sendable {
  /// The first eight bytes as they are written in text, most significant first.
  public let high: UInt64
  /// The last eight bytes as they are written in text.
  public let low: UInt64

  private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Expands a 16-bit UUID.
  public init(_ short: UInt16) {
    self.init(high: UInt64(short) << 32 | Self.baseHigh, low: Self.baseLow)
  }

  /// Reads 2, 4 or 16 bytes, most significant first; nil for any other count.
  public init?(bigEndian bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    let number = { (part: ArraySlice<UInt8>) in part.reduce(0) { $0 << 8 | UInt64($1) } }
    switch bytes.count {
    case 2, 4: self.init(high: number(bytes[...]) << 32 | Self.baseHigh, low: Self.baseLow)
    case 16: self.init(high: number(bytes[..<8]), low: number(bytes[8...]))
    default: return nil
    }
  }

  /// Reads 2 or 16 bytes as packets carry them, least significant first; nil for any other count.
  public init?(littleEndian bytes: some Collection<UInt8>) {
    guard bytes.count != 4 else { return nil }
    self.init(bigEndian: Array(Array(bytes).reversed()))
  }

  /// The 16-bit alias, or nil when there is none.
  public var short: UInt16? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
    return UInt16(exactly: high >> 32)
  }

  /// 16 bytes, most significant first.
  public var bigEndianBytes: [UInt8] {
    [high, low].flatMap { part in (0..<8).map { UInt8(truncatingIfNeeded: part >> (56 - 8 * $0)) } }
  }

  /// 2 bytes for a UUID with an alias, otherwise 16, least significant first.
  public var littleEndianBytes: [UInt8] {
    guard let short else { return bigEndianBytes.reversed() }
    return [UInt8(truncatingIfNeeded: short), UInt8(short >> 8)]
  }
}

/// Types that the profile itself assigns (Assigned Numbers, 3.4 to 3.8).
extension AttributeUUID {
  public static let primaryService = AttributeUUID(0x2800)
  public static let includedService = AttributeUUID(0x2802)
  public static let characteristic = AttributeUUID(0x2803)
  /// The name that the device gives itself.
  public static let deviceName = AttributeUUID(0x2A00)
  /// The Generic Attribute service.
  public static let genericAttribute = AttributeUUID(0x1801)
  public static let serviceChanged = AttributeUUID(0x2A05)
  /// The descriptor that switches notifications and indications on and off.
  public static let clientConfiguration = AttributeUUID(0x2902)
}
