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

  /// Reads the reply to LE Read Local Supported Features: eight bytes; nil when there are fewer.
  public init?(returned: RawSpan) {
    var cursor = ByteCursor(returned)
    guard let bits = cursor.uint64() else { return nil }
    self.init(rawValue: bits)
  }
}

/// The commands that a controller knows: 64 bytes of bits (Volume 4, Part E, 6.27).
@frozen
public struct SupportedCommands: Sendable, BitwiseCopyable {
  private var bytes: [64 of UInt8]

  public init() { bytes = InlineArray(repeating: 0) }

  /// Reads the reply to Read Local Supported Commands; nil when there are fewer than 64 bytes.
  public init?(returned: RawSpan) {
    self.init()
    var cursor = ByteCursor(returned)
    for index in bytes.indices {
      guard let byte = cursor.uint8() else { return nil }
      bytes[index] = byte
    }
  }

  /// A command's place in the table of 6.27.
  @frozen
  public struct Bit: Hashable, Sendable, BitwiseCopyable {
    public let byte: Int
    public let bit: UInt8

    public init(_ byte: Int, _ bit: UInt8) {
      precondition((0..<64).contains(byte) && bit < 8, "the table has 64 bytes")
      self.byte = byte
      self.bit = bit
    }

    public static var leSetScanParameters: Self { Self(26, 2) }
    public static var leSetScanEnable: Self { Self(26, 3) }
    public static var leSetExtendedScanParameters: Self { Self(37, 5) }
    public static var leSetExtendedScanEnable: Self { Self(37, 6) }
  }

  public func contains(_ bit: Bit) -> Bool { bytes[bit.byte] & 1 << bit.bit != 0 }

  public mutating func insert(_ bit: Bit) { bytes[bit.byte] |= 1 << bit.bit }

  /// The byte at `index` of 0..<64, as it goes over the air.
  public subscript(_ index: Int) -> UInt8 { bytes[index] }
}

/// The reply to Read Local Version Information (7.4.1). The agent only shows it.
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
    var cursor = ByteCursor(returned)
    guard let hciVersion = cursor.uint8(), let hciRevision = cursor.uint16(), let lmpVersion = cursor.uint8(),
      let manufacturer = cursor.uint16(), let lmpSubversion = cursor.uint16()
    else { return nil }
    self.hciVersion = hciVersion
    self.hciRevision = hciRevision
    self.lmpVersion = lmpVersion
    self.manufacturer = manufacturer
    self.lmpSubversion = lmpSubversion
  }
}
