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
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  public mutating func nextLegacy() throws(ReportError) -> AdvertisingReport? {
    guard let position = advanceIndex() else { return nil }
    // The most frequent layout is read with one wide load and two checks, one for its ten fixed bytes and one for its
    // data: the cursor's checks cost 2 % more instructions for each report (Scripts/bench, unchanged).
    let start = cursor.position
    let left = cursor.byteCount
    guard left >= 10 else { throw loseRest(from: position) }
    // Holds, here and below: the ten fixed bytes are left.
    let head = unsafe cursor.bytes.uncheckedUInt64(at: start)
    let dataByteCount = Int(unsafe cursor.bytes.uncheckedUInt8(at: start &+ 8))
    guard left >= 10 &+ dataByteCount else { throw loseRest(from: position) }
    cursor.position = start &+ 10 &+ dataByteCount
    guard let pdu = AdvertisingPDU(legacyReport: UInt8(truncatingIfNeeded: head)) else {
      throw .reserved(index: position, field: .eventType)
    }
    guard let address = DeviceAddress(identified: head >> 8) else {
      throw .reserved(index: position, field: .addressType)
    }
    var header = ReportHeader(address: address, pdu: pdu, properties: pdu.legacyProperties)
    // Holds: the data and the RSSI after it are left, as just checked.
    header.rssi = Int8(bitPattern: unsafe cursor.bytes.uncheckedUInt8(at: start &+ 9 &+ dataByteCount))
    return AdvertisingReport(
      header: header, data: unsafe cursor.bytes.uncheckedSlice(at: start &+ 9, count: dataByteCount))
  }

  /// Event_Type (always 1), Address_Type, Address, Direct_Address_Type, Direct_Address, RSSI: no data. Not inlined, so
  /// that loops over reports keep the registers for the frequent format.
  @usableFromInline
  @inline(never)
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
  /// Periodic_Advertising_Interval, Direct_Address_Type, Direct_Address, Data_Length, Data. Not inlined, as above.
  @usableFromInline
  @inline(never)
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
