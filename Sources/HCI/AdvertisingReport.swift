// SPDX-License-Identifier: GPL-3.0-or-later

/// The advertising PDU that a report is about (Core Specification 5.4, Volume 6, Part B, 2.3).
@frozen
public enum AdvertisingPDU: UInt8, Sendable, BitwiseCopyable {
  case connectable = 0  // ADV_IND
  case directed = 1  // ADV_DIRECT_IND
  case scannable = 2  // ADV_SCAN_IND
  case nonConnectable = 3  // ADV_NONCONN_IND
  case scanResponse = 4  // SCAN_RSP
  case extended = 5  // ADV_EXT_IND with what hangs on it
}

/// A physical layer, as extended reports number it (Volume 4, Part E, 7.7.65.13).
@frozen
public enum PHY: UInt8, Sendable, BitwiseCopyable {
  case le1M = 1
  case le2M = 2
  case coded = 3
}

/// Whether a report's data is all there is (Volume 4, Part E, 7.7.65.13, Event_Type bits 5 and 6).
@frozen
public enum DataStatus: UInt8, Sendable, BitwiseCopyable {
  case complete = 0
  /// More of the same chain follows in later reports.
  case incomplete = 1
  /// The controller gave up on the rest.
  case truncated = 2
}

/// The fields of an advertising report besides its data; one shape for legacy, directed and extended reports.
@frozen
public struct ReportHeader: Sendable, BitwiseCopyable, Equatable {
  /// The properties of the advertiser and its PDU, one bit each. Not an `OptionSet`: those bring arrays.
  @frozen
  public struct Properties: Equatable, Sendable, BitwiseCopyable {
    public let rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable public func contains(_ other: Self) -> Bool { rawValue & other.rawValue == other.rawValue }
    @inlinable public func union(_ other: Self) -> Self { Self(rawValue: rawValue | other.rawValue) }
    @inlinable public mutating func insert(_ other: Self) { self = union(other) }

    @inlinable public static var connectable: Self { Self(rawValue: 1) }
    @inlinable public static var scannable: Self { Self(rawValue: 2) }
    @inlinable public static var directed: Self { Self(rawValue: 4) }
    @inlinable public static var scanResponse: Self { Self(rawValue: 8) }
    /// A legacy PDU in an extended report event.
    @inlinable public static var legacyPDU: Self { Self(rawValue: 16) }
    /// The report came in an LE Extended Advertising Report event.
    @inlinable public static var extendedEvent: Self { Self(rawValue: 32) }
    /// The directed PDU names an address that the controller could not resolve (0xFE).
    @inlinable public static var unresolvedTarget: Self { Self(rawValue: 64) }
  }

  public var address: DeviceAddress
  /// The address a directed PDU is meant for, when the report names it.
  public var directAddress: DeviceAddress?
  public var pdu: AdvertisingPDU
  public var properties: Properties
  public var dataStatus: DataStatus = .complete
  public var primaryPHY: PHY = .le1M
  /// Nil when the packet used no secondary channel.
  public var secondaryPHY: PHY?
  /// Advertising set id, 0...15, or `noAdvertisingSID`.
  public var advertisingSID: UInt8 = Self.noAdvertisingSID
  /// dBm, or `noTxPower`.
  public var txPower: Int8 = Self.noTxPower
  /// dBm, or `noRSSI`.
  public var rssi: Int8 = Self.noRSSI
  /// Interval of the periodic advertising in units of 1.25 ms, 0 for none.
  public var periodicInterval: UInt16 = 0

  @inlinable public static var noAdvertisingSID: UInt8 { 0xFF }
  @inlinable public static var noTxPower: Int8 { 127 }
  @inlinable public static var noRSSI: Int8 { 127 }

  @inlinable
  public init(address: DeviceAddress, pdu: AdvertisingPDU, properties: Properties) {
    self.address = address
    self.pdu = pdu
    self.properties = properties
  }

  /// Whether the RSSI is a reading: the specification's range is -127...20, and 127 says "not available".
  @inlinable
  public var hasReading: Bool { rssi >= -127 && rssi <= 20 }
}

/// One advertising report, borrowed.
@frozen
public struct AdvertisingReport: ~Escapable {
  public let header: ReportHeader
  /// The AD structures of this report alone, as they were on the air.
  public let data: RawSpan

  @inlinable
  @_lifetime(copy data)
  public init(header: ReportHeader, data: RawSpan) {
    self.header = header
    self.data = data
  }
}

/// Why one report of an event could not be read.
public enum ReportError: Error, Equatable, Sendable, BitwiseCopyable {
  /// The event ends inside report `index`; that report and those after it are lost.
  case truncated(index: Int)
  /// Report `index` has a value the specification reserves; only that report is lost.
  case reserved(index: Int, field: ReservedField)

  /// The field whose value is reserved.
  public enum ReservedField: Sendable, BitwiseCopyable {
    case eventType, addressType, dataStatus, primaryPHY, secondaryPHY, advertisingSID
  }
}
