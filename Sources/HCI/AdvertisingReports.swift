// SPDX-License-Identifier: GPL-3.0-or-later

/// The LE Meta subevents that carry advertising reports.
@frozen
public enum ReportFormat: UInt8, Sendable, BitwiseCopyable {
  case legacy = 0x02  // LE Advertising Report, 7.7.65.2
  case directed = 0x0B  // LE Directed Advertising Report, 7.7.65.11
  case extended = 0x0D  // LE Extended Advertising Report, 7.7.65.13
}

/// The reports of one event, in order (Core Specification 5.4, Volume 4, Part E, 7.7.65).
///
/// An event holds `Num_Reports` reports one after the other. A reserved value costs its own report; an event that
/// ends too early costs the report it ends in and those after it, never those before.
@frozen
public struct AdvertisingReports: ~Escapable {
  public let format: ReportFormat
  /// `Num_Reports` as the event gives it.
  public let count: Int
  @usableFromInline var index = 0
  @usableFromInline var cursor: ByteCursor

  /// The reports in `event`, or nil when it is some other event.
  @inlinable
  @_lifetime(copy event)
  public init?(_ event: borrowing Event) {
    guard event.code == Event.leMeta, event.parameters.byteCount >= 1,
      let format = ReportFormat(rawValue: event.parameters.uint8(at: 0))
    else { return nil }
    self.format = format
    cursor = ByteCursor(event.parameters)
    cursor.consume(1)
    // An event without even a count is read as one report, which is then found to be cut.
    count = Int(cursor.uint8() ?? 1)
  }

  /// Reports that were announced and not yet read or lost.
  @inlinable
  public var remaining: Int { count &- index }

  /// Octets behind the last report, once all were read.
  @inlinable
  public var trailingByteCount: Int { cursor.remaining }

  /// The next report, or nil after the last one. After `cut` there is no further report.
  @inlinable
  @_lifetime(copy self)
  public mutating func next() throws(ReportError) -> AdvertisingReport? {
    guard index < count else { return nil }
    let position = index
    index &+= 1
    switch format {
    case .legacy: return try legacy(position)
    case .directed: return try directed(position)
    case .extended: return try extended(position)
    }
  }

  @inlinable
  mutating func fuse(at position: Int) -> ReportError {
    index = count
    cursor.consume(cursor.remaining)
    return .cut(index: position)
  }

  /// Event_Type, Address_Type, Address, Data_Length, Data, RSSI.
  @inlinable
  @_lifetime(copy self)
  mutating func legacy(_ position: Int) throws(ReportError) -> AdvertisingReport {
    guard let head = cursor.span(9), let data = cursor.span(Int(head.uint8(at: 8))), let rssi = cursor.uint8()
    else { throw fuse(at: position) }
    guard let pdu = AdvertisingPDU(rawValue: head.uint8(at: 0)), pdu != .extended else {
      throw .reserved(index: position, field: .eventType)
    }
    guard let type = AddressType(rawValue: head.uint8(at: 1)), type != .anonymous else {
      throw .reserved(index: position, field: .addressType)
    }
    var header = ReportHeader(
      address: DeviceAddress(bits: head.uint48(at: 2), type: type), pdu: pdu, properties: pdu.legacyProperties
    )
    header.rssi = Int8(bitPattern: rssi)
    return AdvertisingReport(header: header, data: data)
  }

  /// Event_Type (always 1), Address_Type, Address, Direct_Address_Type, Direct_Address, RSSI: no data.
  @inlinable
  @_lifetime(copy self)
  mutating func directed(_ position: Int) throws(ReportError) -> AdvertisingReport {
    guard let head = cursor.span(16) else { throw fuse(at: position) }
    guard head.uint8(at: 0) == AdvertisingPDU.directed.rawValue else {
      throw .reserved(index: position, field: .eventType)
    }
    guard let type = AddressType(rawValue: head.uint8(at: 1)), type != .anonymous else {
      throw .reserved(index: position, field: .addressType)
    }
    var header = ReportHeader(
      address: DeviceAddress(bits: head.uint48(at: 2), type: type), pdu: .directed,
      properties: AdvertisingPDU.directed.legacyProperties)
    try header.aim(at: head.uint48(at: 9), type: head.uint8(at: 8), report: position)
    header.rssi = Int8(bitPattern: head.uint8(at: 15))
    return AdvertisingReport(header: header, data: head.extracting(first: 0))
  }

  /// Event_Type, Address_Type, Address, Primary_PHY, Secondary_PHY, Advertising_SID, TX_Power, RSSI,
  /// Periodic_Advertising_Interval, Direct_Address_Type, Direct_Address, Data_Length, Data.
  @inlinable
  @_lifetime(copy self)
  mutating func extended(_ position: Int) throws(ReportError) -> AdvertisingReport {
    guard let head = cursor.span(24), let data = cursor.span(Int(head.uint8(at: 23))) else {
      throw fuse(at: position)
    }
    return AdvertisingReport(header: try ReportHeader(extended: head, report: position), data: data)
  }
}

extension AdvertisingPDU {
  /// What a legacy PDU says of itself. A scan response does not say whether its advertiser is connectable.
  @inlinable
  var legacyProperties: ReportHeader.Properties {
    switch self {
    case .connectable: .connectable.union(.scannable)
    case .directed: .connectable.union(.directed)
    case .scannable: .scannable
    case .nonConnectable, .extended: ReportHeader.Properties(rawValue: 0)
    case .scanResponse: .scannable.union(.scanResponse)
    }
  }

  /// The legacy PDU that an extended report's Event_Type stands for (table in 7.7.65.13).
  @inlinable
  init?(legacyEventType eventType: UInt16) {
    switch eventType & 0x1F {
    case 0b10011: self = .connectable
    case 0b10101: self = .directed
    case 0b10010: self = .scannable
    case 0b10000: self = .nonConnectable
    case 0b11011, 0b11010: self = .scanResponse
    default: return nil
    }
  }
}

extension ReportHeader {
  /// Reads the 24 octets in front of an extended report's data.
  @inlinable
  init(extended head: RawSpan, report position: Int) throws(ReportError) {
    let eventType = head.uint16(at: 0)
    guard let type = AddressType(rawValue: head.uint8(at: 2)) else {
      throw .reserved(index: position, field: .addressType)
    }
    var pdu = AdvertisingPDU.extended
    if eventType & 0x10 != 0 {
      guard let legacy = AdvertisingPDU(legacyEventType: eventType) else {
        throw .reserved(index: position, field: .eventType)
      }
      pdu = legacy
    }
    self.init(
      // An anonymous report's address field means nothing; two of them must not look like two advertisers.
      address: DeviceAddress(bits: type == .anonymous ? 0 : head.uint48(at: 3), type: type), pdu: pdu,
      properties: Properties(rawValue: UInt8(truncatingIfNeeded: eventType & 0x1F)).union(.extendedEvent))
    guard let status = DataStatus(rawValue: UInt8(truncatingIfNeeded: eventType >> 5 & 3)) else {
      throw .reserved(index: position, field: .dataStatus)
    }
    dataStatus = status
    try readPHYs(primary: head.uint8(at: 9), secondary: head.uint8(at: 10), report: position)
    setID = head.uint8(at: 11)
    guard setID <= 0x0F || setID == Self.noSet else { throw .reserved(index: position, field: .setID) }
    txPower = Int8(bitPattern: head.uint8(at: 12))
    rssi = Int8(bitPattern: head.uint8(at: 13))
    periodicInterval = head.uint16(at: 14)
    if properties.contains(.directed) {
      try aim(at: head.uint48(at: 17), type: head.uint8(at: 16), report: position)
    }
  }

  @inlinable
  mutating func readPHYs(primary: UInt8, secondary: UInt8, report position: Int) throws(ReportError) {
    guard let first = PHY(rawValue: primary), first != .le2M else {
      throw .reserved(index: position, field: .primaryPHY)
    }
    primaryPHY = first
    guard secondary != 0 else { return }
    guard let second = PHY(rawValue: secondary) else {
      throw .reserved(index: position, field: .secondaryPHY)
    }
    secondaryPHY = second
  }

  /// Takes the target of a directed PDU; 0xFE is a random address the controller could not resolve.
  @inlinable
  mutating func aim(at bits: UInt64, type: UInt8, report position: Int) throws(ReportError) {
    if type == 0xFE {
      properties.insert(.unresolvedTarget)
      directAddress = DeviceAddress(bits: bits, type: .random)
      return
    }
    guard let known = AddressType(rawValue: type), known != .anonymous else {
      throw .reserved(index: position, field: .addressType)
    }
    directAddress = DeviceAddress(bits: bits, type: known)
  }
}
