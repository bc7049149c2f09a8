// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A message of the socket of `Gateway.WatchReports`, for its readers: a header, then records or the radio's state (``ReportLayout``).
public struct ReportMessage: Equatable, Sendable {
  /// A report with its data.
  public struct Report: Equatable, Sendable {
    public let record: ReportRecord
    public let data: [UInt8]
  }

  public enum Content: Equatable, Sendable {
    case reports([Report])
    case radio(ReportRadioState, isActive: Bool)
  }

  /// Reports of the stream before this message, sent and missed.
  public let passed: UInt64
  /// Those of them that were missed.
  public let missed: UInt64
  public let content: Content

  /// The longest message, in bytes: a full batch, and the reports of the event that filled it.
  public static let byteCountMax = 8192

  /// Reads a message as the socket delivers it.
  public init(_ bytes: [UInt8]) throws(ReportMessageError) {
    var reader = ReportReader(bytes: bytes)
    let word = try reader.number(8)
    (passed, missed) = (try reader.number(8), try reader.number(8))
    guard bytes[0] == ReportLayout.version, let kind = ReportLayout.Kind(rawValue: bytes[1]) else {
      throw .unknown(version: bytes[0], kind: bytes[1])
    }
    switch kind {
    case .radio:
      let (state, mode) = (UInt8(try reader.number(1)), try reader.number(1))
      guard let state = ReportRadioState(rawValue: state) else { throw .invalidValue }
      content = .radio(state, isActive: mode == 1)
    case .reports:
      var reports: [Report] = []
      for _ in 0..<word >> 16 & 0xFFFF { reports.append(try reader.report()) }
      content = .reports(reports)
    }
  }
}

/// Why a message cannot be read.
public enum ReportMessageError: Error, Equatable, Sendable {
  /// It ends before what its numbers promise.
  case truncated
  /// A later agent sends it.
  case unknown(version: UInt8, kind: UInt8)
  case invalidValue
}

private struct ReportReader {
  let bytes: [UInt8]
  var offset = 0

  /// A number of up to eight bytes, least significant first.
  mutating func number(_ byteCount: Int) throws(ReportMessageError) -> UInt64 {
    guard offset + byteCount <= bytes.count else { throw .truncated }
    defer { offset += byteCount }
    return bytes[offset..<offset + byteCount].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A record; what a later agent put after it is data.
  mutating func report() throws(ReportMessageError) -> ReportMessage.Report {
    let start = offset
    let head = try number(8)
    let (time, address, identity) = (try number(8), try number(8), try number(8))
    let levels = UInt16(try number(2))
    let end = start + Int(head & 0xFFFF)
    guard end >= offset, end <= bytes.count else { throw .truncated }
    guard
      let record = ReportRecord(
        head: head, time: time, addressWord: address, identityWord: identity, levels: levels)
    else { throw .invalidValue }
    defer { offset = end }
    return ReportMessage.Report(record: record, data: Array(bytes[offset..<end]))
  }
}

/// What a record of `Gateway.WatchReports` says of a report besides its data (``ReportLayout``).
public struct ReportRecord: Equatable, Sendable {
  /// One bit each.
  public struct Flags: OptionSet, Sendable {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let connectable = Self(rawValue: 1)
    public static let scannable = Self(rawValue: 2)
    public static let directed = Self(rawValue: 4)
    public static let scanResponse = Self(rawValue: 8)
    /// The PDU was not a legacy one.
    public static let extended = Self(rawValue: 16)
    /// A part of the data did not come.
    public static let incomplete = Self(rawValue: 32)
    /// The controller cut the data.
    public static let truncated = Self(rawValue: 64)
    public static let hasIdentity = Self(rawValue: 128)
    public static let isAccessory = Self(rawValue: 256)
  }

  public var adapter: UInt8 = 0
  public var flags = Flags(rawValue: 0)
  /// In tenths of a millisecond; ``ReportLayout/waitedUnknown``.
  public var waited = ReportLayout.waitedUnknown
  /// Microseconds since the stream began.
  public var time: UInt64 = 0
  public var address: DeviceAddress
  /// The identity address; that of the air where no key has resolved it.
  public var identity: DeviceAddress
  public var primaryPHY: UInt8 = 1
  public var secondaryPHY: UInt8 = 0
  public var advertisingSID: UInt8 = 0xFF
  public var txPower: Int8 = 127
  public var rssi: Int8 = 127

  public init(address: DeviceAddress) { (self.address, identity) = (address, address) }
}

extension ReportRecord {
  /// Nil when a word says something that no record says.
  fileprivate init?(head: UInt64, time: UInt64, addressWord: UInt64, identityWord: UInt64, levels: UInt16) {
    guard let type = AddressType(rawValue: UInt8(truncatingIfNeeded: head >> 24)),
      let identityType = AddressType(rawValue: UInt8(truncatingIfNeeded: identityWord >> 48))
    else { return nil }
    let mask: UInt64 = 0xFFFF_FFFF_FFFF
    self.init(address: DeviceAddress(bits: addressWord & mask, type: type))
    adapter = UInt8(truncatingIfNeeded: head >> 16)
    flags = Flags(rawValue: UInt16(truncatingIfNeeded: head >> 32))
    waited = UInt16(truncatingIfNeeded: head >> 48)
    self.time = time
    if flags.contains(.hasIdentity) {
      identity = DeviceAddress(bits: identityWord & mask, type: identityType)
    }
    primaryPHY = UInt8(truncatingIfNeeded: addressWord >> 48)
    secondaryPHY = UInt8(truncatingIfNeeded: addressWord >> 56)
    advertisingSID = UInt8(truncatingIfNeeded: identityWord >> 56)
    txPower = Int8(bitPattern: UInt8(truncatingIfNeeded: levels))
    rssi = Int8(bitPattern: UInt8(truncatingIfNeeded: levels >> 8))
  }
}
