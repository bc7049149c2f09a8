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
  @inline(__always)
  @_lifetime(copy event)
  public init?(_ event: borrowing Event) {
    var cursor = ByteCursor(event.parameters)
    guard event.code == Event.leMeta, let subevent = cursor.uint8(),
      let format = ReportFormat(rawValue: subevent)
    else { return nil }
    self.format = format
    // An event without even a count is read as one report, which is then found to be truncated.
    count = Int(cursor.uint8() ?? 1)
    self.cursor = cursor
  }

  /// Reports that were announced and not yet read or lost.
  @inlinable
  public var remaining: Int { count &- index }

  /// Bytes after the last report, once all were read.
  @inlinable
  public var trailingByteCount: Int { cursor.byteCount }

  /// The next report, or nil after the last one. After `truncated` there is no further report.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  public mutating func next() throws(ReportError) -> AdvertisingReport? {
    switch format {
    case .legacy: return try nextLegacy()
    case .directed: return try nextDirected()
    case .extended: return try nextExtended()
    }
  }

  /// The next report of an event in the legacy format: Event_Type, Address_Type, Address, Data_Length, Data, RSSI.
  @usableFromInline
  @_lifetime(copy self)
  mutating func nextLegacy() throws(ReportError) -> AdvertisingReport? {
    guard let position = advanceIndex() else { return nil }
    guard let eventType = cursor.uint8(), let addressType = cursor.uint8(), let bits = cursor.uint48(),
      let dataByteCount = cursor.uint8(), let data = cursor.bytes(Int(dataByteCount)),
      let rssi = cursor.int8()
    else { throw loseRest(from: position) }
    guard let pdu = AdvertisingPDU(legacyReport: eventType) else {
      throw .reserved(index: position, field: .eventType)
    }
    guard let type = AddressType(identified: addressType) else {
      throw .reserved(index: position, field: .addressType)
    }
    var header = ReportHeader(
      address: DeviceAddress(bits: bits, type: type), pdu: pdu, properties: pdu.legacyProperties)
    header.rssi = rssi
    return AdvertisingReport(header: header, data: data)
  }

  /// Event_Type (always 1), Address_Type, Address, Direct_Address_Type, Direct_Address, RSSI: no data.
  @usableFromInline
  @_lifetime(copy self)
  mutating func nextDirected() throws(ReportError) -> AdvertisingReport? {
    guard let position = advanceIndex() else { return nil }
    guard let eventType = cursor.uint8(), let addressType = cursor.uint8(), let bits = cursor.uint48(),
      let targetType = cursor.uint8(), let targetBits = cursor.uint48(), let rssi = cursor.int8(),
      let data = cursor.bytes(0)
    else { throw loseRest(from: position) }
    guard eventType == AdvertisingPDU.directed.rawValue else {
      throw .reserved(index: position, field: .eventType)
    }
    guard let type = AddressType(identified: addressType) else {
      throw .reserved(index: position, field: .addressType)
    }
    var header = ReportHeader(
      address: DeviceAddress(bits: bits, type: type), pdu: .directed,
      properties: AdvertisingPDU.directed.legacyProperties)
    try header.setTarget(targetBits, type: targetType, report: position)
    header.rssi = rssi
    return AdvertisingReport(header: header, data: data)
  }

  /// Event_Type, Address_Type, Address, Primary_PHY, Secondary_PHY, Advertising_SID, TX_Power, RSSI,
  /// Periodic_Advertising_Interval, Direct_Address_Type, Direct_Address, Data_Length, Data.
  @usableFromInline
  @_lifetime(copy self)
  mutating func nextExtended() throws(ReportError) -> AdvertisingReport? {
    guard let position = advanceIndex() else { return nil }
    guard let eventType = cursor.uint16(), let addressType = cursor.uint8(), let bits = cursor.uint48(),
      let primaryPHY = cursor.uint8(), let secondaryPHY = cursor.uint8(), let advertisingSID = cursor.uint8(),
      let txPower = cursor.int8(), let rssi = cursor.int8(), let periodicInterval = cursor.uint16(),
      let targetType = cursor.uint8(), let targetBits = cursor.uint48(),
      let dataByteCount = cursor.uint8(), let data = cursor.bytes(Int(dataByteCount))
    else { throw loseRest(from: position) }
    var header = try ReportHeader(
      extendedEventType: eventType, addressType: addressType, bits: bits, report: position)
    try header.setPHYs(primary: primaryPHY, secondary: secondaryPHY, report: position)
    guard advertisingSID <= 0x0F || advertisingSID == ReportHeader.noAdvertisingSID else {
      throw .reserved(index: position, field: .advertisingSID)
    }
    header.advertisingSID = advertisingSID
    header.txPower = txPower
    header.rssi = rssi
    header.periodicInterval = periodicInterval
    if header.properties.contains(.directed) {
      try header.setTarget(targetBits, type: targetType, report: position)
    }
    return AdvertisingReport(header: header, data: data)
  }

  /// The index of the report that is read next, or nil after the last one.
  @inlinable
  @inline(__always)
  mutating func advanceIndex() -> Int? {
    guard index < count else { return nil }
    defer { index &+= 1 }
    return index
  }

  /// Gives up on the report at `position`, in which the event ends, and on those after it.
  @inlinable
  mutating func loseRest(from position: Int) -> ReportError {
    index = count
    cursor.skipToEnd()
    return .truncated(index: position)
  }
}

extension AdvertisingReport {
  /// The format of the report in an event (code, length, parameters) that holds one and ends after it; nil for others.
  @inlinable
  @inline(__always)
  public static func loneFormat(_ event: RawSpan) -> ReportFormat? {
    guard event.byteCount >= 4 else { return nil }
    // Holds: four bytes are there: code, length, subevent, number of reports.
    let head = unsafe event.uncheckedUInt32(at: 0)
    guard UInt64(head & 0xFF00_FFFF) == UInt64(event.byteCount &- 2) << 8 &+ 0x0100_003E else { return nil }
    return ReportFormat(rawValue: UInt8(truncatingIfNeeded: head >> 16))
  }

  /// The one report of an event of the legacy format; nil when it has a reserved value or another length.
  @inlinable
  @inline(__always)
  @_lifetime(copy event)
  public init?(loneLegacy event: RawSpan) {
    guard event.byteCount >= 14 else { return nil }
    // Holds, here and below: the fixed bytes are there: Event_Type, Address_Type, Address, Data_Length; RSSI.
    let dataByteCount = Int(unsafe event.uncheckedUInt8(at: 12))
    guard event.byteCount == 14 &+ dataByteCount else { return nil }
    let head = unsafe event.uncheckedUInt64(at: 4)
    guard let pdu = AdvertisingPDU(legacyReport: UInt8(truncatingIfNeeded: head)),
      let address = DeviceAddress(identified: head >> 8)
    else { return nil }
    var header = ReportHeader(address: address, pdu: pdu, properties: pdu.legacyProperties)
    header.rssi = Int8(bitPattern: unsafe event.uncheckedUInt8(at: event.byteCount &- 1))
    self.init(header: header, data: unsafe event.uncheckedSlice(at: 13, count: dataByteCount))
  }

  /// The one report of an event of the extended format, if it is one of those that come all the time: with an address, not
  /// directed, its data complete, and nothing in it reserved.
  @inlinable
  @inline(__always)
  @_lifetime(copy event)
  public init?(loneExtended event: RawSpan) {
    guard event.byteCount >= 28 else { return nil }
    // Holds, here and below: the fixed bytes are there.
    let dataByteCount = Int(unsafe event.uncheckedUInt8(at: 27))
    guard event.byteCount == 28 &+ dataByteCount else { return nil }
    let eventType = unsafe event.uncheckedUInt16(at: 4)
    // The address, then the primary and the secondary PHY.
    let middle = unsafe event.uncheckedUInt64(at: 7)
    // Advertising SID, transmit power, RSSI.
    let levels = unsafe event.uncheckedUInt32(at: 15)
    let secondary = UInt8(truncatingIfNeeded: middle >> 56)
    let advertisingSID = UInt8(truncatingIfNeeded: levels)
    guard let pdu = AdvertisingPDU(plainEventType: eventType),
      let type = AddressType(identified: unsafe event.uncheckedUInt8(at: 6)),
      let primary = PHY(rawValue: UInt8(truncatingIfNeeded: middle >> 48)), primary != .le2M,
      secondary <= PHY.coded.rawValue,
      advertisingSID == ReportHeader.noAdvertisingSID || advertisingSID <= 0x0F
    else { return nil }
    var header = ReportHeader(
      address: DeviceAddress(bits: middle & 0xFFFF_FFFF_FFFF, type: type), pdu: pdu,
      properties: ReportHeader.Properties(rawValue: UInt8(truncatingIfNeeded: eventType)).union(
        .extendedEvent))
    header.primaryPHY = primary
    header.secondaryPHY = PHY(rawValue: secondary)
    header.advertisingSID = advertisingSID
    header.txPower = Int8(truncatingIfNeeded: levels >> 8)
    header.rssi = Int8(truncatingIfNeeded: levels >> 16)
    header.periodicInterval = unsafe event.uncheckedUInt16(at: 18)
    self.init(header: header, data: unsafe event.uncheckedSlice(at: 28, count: dataByteCount))
  }
}

extension AddressType {
  /// The address type of a report that has an address.
  @inlinable
  @inline(__always)
  init?(identified code: UInt8) {
    switch code {
    case 0: self = .public
    case 1: self = .random
    case 2: self = .publicIdentity
    case 3: self = .randomIdentity
    default: return nil
    }
  }

  /// The address type of a report that may be anonymous.
  @inlinable
  @inline(__always)
  init?(reported code: UInt8) {
    if code == 0xFF { self = .anonymous } else { self.init(identified: code) }
  }
}

extension AdvertisingPDU {
  /// The PDU of a legacy report's Event_Type (7.7.65.2).
  @inlinable
  @inline(__always)
  init?(legacyReport code: UInt8) {
    switch code {
    case 0: self = .connectable
    case 1: self = .directed
    case 2: self = .scannable
    case 3: self = .nonConnectable
    case 4: self = .scanResponse
    default: return nil
    }
  }

  /// The properties of a legacy PDU. A scan response does not say whether its advertiser is connectable.
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

  /// The PDU of an extended report's Event_Type when it is not directed, its data complete, and nothing reserved.
  @inlinable
  @inline(__always)
  init?(plainEventType eventType: UInt16) {
    guard eventType & 0xFFF4 != 0x10 else {
      // Connectable, scannable, or neither, with bit 3 unset.
      guard let pdu = AdvertisingPDU(legacyEventType: eventType) else { return nil }
      self = pdu
      return
    }
    guard eventType & 0xFFF4 == 0 else { return nil }
    self = .extended
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
  /// The properties in an extended report's Event_Type and address.
  @inlinable
  init(
    extendedEventType eventType: UInt16, addressType: UInt8, bits: UInt64, report position: Int
  ) throws(ReportError) {
    guard let type = AddressType(reported: addressType) else {
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
      address: DeviceAddress(bits: type == .anonymous ? 0 : bits, type: type), pdu: pdu,
      properties: Properties(rawValue: UInt8(truncatingIfNeeded: eventType & 0x1F)).union(.extendedEvent))
    guard let status = DataStatus(rawValue: UInt8(truncatingIfNeeded: eventType >> 5 & 3)) else {
      throw .reserved(index: position, field: .dataStatus)
    }
    dataStatus = status
  }

  @inlinable
  mutating func setPHYs(primary: UInt8, secondary: UInt8, report position: Int) throws(ReportError) {
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

  /// Sets the target of a directed PDU; 0xFE is a random address the controller could not resolve.
  @inlinable
  mutating func setTarget(_ bits: UInt64, type: UInt8, report position: Int) throws(ReportError) {
    if type == 0xFE {
      properties.insert(.unresolvedTarget)
      directAddress = DeviceAddress(bits: bits, type: .random)
      return
    }
    guard let known = AddressType(identified: type) else {
      throw .reserved(index: position, field: .addressType)
    }
    directAddress = DeviceAddress(bits: bits, type: known)
  }
}
