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
  @usableFromInline let bytes: RawSpan
  @usableFromInline var index = 0
  @usableFromInline var offset = 2

  /// The reports in `event`, or nil when it is some other event.
  @inlinable
  @inline(__always)
  @_lifetime(copy event)
  public init?(_ event: borrowing Event) {
    let parameters = event.parameters
    guard event.code == Event.leMeta, parameters.byteCount >= 1 else { return nil }
    guard let format = ReportFormat(rawValue: parameters.uint8(at: 0)) else { return nil }
    self.format = format
    bytes = parameters
    // An event without even a count is read as one report, which is then found to be cut.
    count = parameters.byteCount >= 2 ? Int(parameters.uint8(at: 1)) : 1
  }

  /// Reports that were announced and not yet read or lost.
  @inlinable
  public var remaining: Int { count &- index }

  /// Octets behind the last report, once all were read.
  @inlinable
  public var trailingByteCount: Int { max(0, bytes.byteCount &- offset) }

  /// The next report, or nil after the last one. After `cut` there is no further report.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  public mutating func next() throws(ReportError) -> AdvertisingReport? {
    if format == .legacy { return try nextLegacy() }
    guard let position = step() else { return nil }
    guard format == .extended else {
      return try AdvertisingReport(directed: frame(fixed: 16, lengthAt: nil, position), position)
    }
    return try AdvertisingReport(extended: frame(fixed: 24, lengthAt: 23, position), position)
  }

  /// The next report of an event in the legacy format.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  public mutating func nextLegacy() throws(ReportError) -> AdvertisingReport? {
    guard let position = step() else { return nil }
    return try AdvertisingReport(legacy: frame(fixed: 10, lengthAt: 8, position), position)
  }

  @inlinable
  @inline(__always)
  mutating func step() -> Int? {
    guard index < count else { return nil }
    defer { index &+= 1 }
    return index
  }

  /// The octets of the report at `offset`: so many fixed ones, the length of the data among them, and the data.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  mutating func frame(fixed: Int, lengthAt: Int?, _ position: Int) throws(ReportError) -> RawSpan {
    let start = offset
    let left = bytes.byteCount &- start
    guard left >= fixed else { throw fuse(at: position) }
    // Holds: the fixed octets are left, as just checked.
    let dataByteCount = lengthAt.map { Int(unsafe bytes.uncheckedUInt8(at: start &+ $0)) } ?? 0
    guard left >= fixed &+ dataByteCount else { throw fuse(at: position) }
    offset = start &+ fixed &+ dataByteCount
    // Holds: so many octets are left, as just checked.
    return unsafe bytes.uncheckedSlice(at: start, count: fixed &+ dataByteCount)
  }

  @inlinable
  mutating func fuse(at position: Int) -> ReportError {
    index = count
    offset = bytes.byteCount
    return .truncated(index: position)
  }
}

extension AdvertisingReport {
  /// Event_Type, Address_Type, Address, Data_Length, Data, RSSI.
  @inlinable
  @inline(__always)
  @_lifetime(copy frame)
  init(legacy frame: RawSpan, _ position: Int) throws(ReportError) {
    // Holds, here and below: a legacy report has at least its ten fixed octets.
    let head = unsafe frame.uncheckedUInt64(at: 0)
    guard let pdu = AdvertisingPDU(legacyReport: UInt8(truncatingIfNeeded: head)) else {
      throw .reserved(index: position, field: .eventType)
    }
    guard let address = DeviceAddress(identified: head >> 8) else {
      throw .reserved(index: position, field: .addressType)
    }
    var header = ReportHeader(address: address, pdu: pdu, properties: pdu.legacyProperties)
    header.rssi = Int8(bitPattern: unsafe frame.uncheckedUInt8(at: frame.byteCount &- 1))
    self.init(header: header, data: unsafe frame.uncheckedSlice(at: 9, count: frame.byteCount &- 10))
  }

  /// Event_Type (always 1), Address_Type, Address, Direct_Address_Type, Direct_Address, RSSI: no data. Not inlined, so
  /// that loops over reports keep the registers for the frequent format.
  @usableFromInline
  @inline(never)
  @_lifetime(copy frame)
  init(directed frame: RawSpan, _ position: Int) throws(ReportError) {
    guard frame.uint8(at: 0) == AdvertisingPDU.directed.rawValue else {
      throw .reserved(index: position, field: .eventType)
    }
    guard let type = AddressType(identified: frame.uint8(at: 1)) else {
      throw .reserved(index: position, field: .addressType)
    }
    var header = ReportHeader(
      address: DeviceAddress(bits: frame.uint48(at: 2), type: type), pdu: .directed,
      properties: AdvertisingPDU.directed.legacyProperties)
    try header.aim(at: frame.uint48(at: 9), type: frame.uint8(at: 8), report: position)
    header.rssi = Int8(bitPattern: frame.uint8(at: 15))
    self.init(header: header, data: frame.slice(at: 16, count: 0))
  }

  /// Event_Type, Address_Type, Address, Primary_PHY, Secondary_PHY, Advertising_SID, TX_Power, RSSI,
  /// Periodic_Advertising_Interval, Direct_Address_Type, Direct_Address, Data_Length, Data. Not inlined, as above.
  @usableFromInline
  @inline(never)
  @_lifetime(copy frame)
  init(extended frame: RawSpan, _ position: Int) throws(ReportError) {
    let header = try ReportHeader(extended: frame.slice(at: 0, count: 24), report: position)
    self.init(header: header, data: frame.slice(at: 24, count: frame.byteCount &- 24))
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
    guard let type = AddressType(reported: head.uint8(at: 2)) else {
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
    advertisingSID = head.uint8(at: 11)
    guard advertisingSID <= 0x0F || advertisingSID == Self.noAdvertisingSID else {
      throw .reserved(index: position, field: .advertisingSID)
    }
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
    guard let known = AddressType(identified: type) else {
      throw .reserved(index: position, field: .addressType)
    }
    directAddress = DeviceAddress(bits: bits, type: known)
  }
}
