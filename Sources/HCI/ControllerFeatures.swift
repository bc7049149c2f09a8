// SPDX-License-Identifier: GPL-3.0-or-later

/// The LE features of a controller, one bit each (Core Specification 5.4, Volume 6, Part B, 4.6).
@frozen
public struct LEFeatures: Equatable, Sendable, BitwiseCopyable {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static var encryption: Self { Self(rawValue: 1 << 0) }
  public static var dataLengthExtension: Self { Self(rawValue: 1 << 5) }
  public static var le2M: Self { Self(rawValue: 1 << 8) }
  public static var codedPHY: Self { Self(rawValue: 1 << 11) }
  public static var extendedAdvertising: Self { Self(rawValue: 1 << 12) }

  @inlinable public func contains(_ other: Self) -> Bool { rawValue & other.rawValue == other.rawValue }
  @inlinable public func union(_ other: Self) -> Self { Self(rawValue: rawValue | other.rawValue) }

  /// What LE Read Local Supported Features returns: eight octets; nil when there are fewer.
  public init?(returned: RawSpan) {
    guard returned.byteCount >= 8 else { return nil }
    self.init(rawValue: returned.uint64(at: 0))
  }
}

/// The commands that a controller knows: 64 octets of bits (Volume 4, Part E, 6.27).
@frozen
public struct SupportedCommands: Sendable, BitwiseCopyable {
  private var octets: [64 of UInt8]

  public init() { octets = InlineArray(repeating: 0) }

  /// What Read Local Supported Commands returns; nil when there are fewer than 64 octets.
  public init?(returned: RawSpan) {
    guard returned.byteCount >= 64 else { return nil }
    self.init()
    for index in 0..<64 { octets[index] = returned.uint8(at: index) }
  }

  /// A command's place in the table of 6.27.
  @frozen
  public struct Bit: Hashable, Sendable, BitwiseCopyable {
    public let octet: Int
    public let bit: UInt8

    public init(_ octet: Int, _ bit: UInt8) {
      precondition((0..<64).contains(octet) && bit < 8, "the table has 64 octets")
      self.octet = octet
      self.bit = bit
    }

    public static var leSetScanParameters: Self { Self(26, 2) }
    public static var leSetScanEnable: Self { Self(26, 3) }
    public static var leSetExtendedScanParameters: Self { Self(37, 5) }
    public static var leSetExtendedScanEnable: Self { Self(37, 6) }
  }

  public func contains(_ bit: Bit) -> Bool { octets[bit.octet] & 1 << bit.bit != 0 }

  public mutating func insert(_ bit: Bit) { octets[bit.octet] |= 1 << bit.bit }

  /// The octet at `index` of 0..<64, as it goes over the air.
  public subscript(_ index: Int) -> UInt8 { octets[index] }
}

/// What Read Local Version Information returns (7.4.1). Nothing is decided by it.
@frozen
public struct LocalVersion: Equatable, Sendable, BitwiseCopyable {
  /// 8 is 4.2, 9 is 5.0, 10 is 5.1 (Assigned Numbers, 2.1).
  public let hciVersion: UInt8
  public let hciRevision: UInt16
  public let lmpVersion: UInt8
  /// A company identifier.
  public let manufacturer: UInt16
  public let lmpSubversion: UInt16

  public init?(returned: RawSpan) {
    guard returned.byteCount >= 8 else { return nil }
    hciVersion = returned.uint8(at: 0)
    hciRevision = returned.uint16(at: 1)
    lmpVersion = returned.uint8(at: 3)
    manufacturer = returned.uint16(at: 4)
    lmpSubversion = returned.uint16(at: 6)
  }
}
