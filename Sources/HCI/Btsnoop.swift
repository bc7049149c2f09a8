// SPDX-License-Identifier: GPL-3.0-or-later

/// How the records of a btsnoop file are framed: the datalink code of its header.
@frozen
public enum BtsnoopDatalink: UInt32, Sendable, BitwiseCopyable {
  /// HCI packets without an indicator; the record's flags tell their kind.
  case hci = 1001
  /// HCI packets with their H4 indicator.
  case h4 = 1002
  /// The Linux monitor: opcode and adapter index stand in the record's flags.
  case monitor = 2001
}

/// Why a btsnoop file cannot be read, or not further. Offsets count bytes from the start of the file.
public enum BtsnoopError: Error, Equatable, Sendable, BitwiseCopyable {
  /// Fewer bytes than the 16 of the file header.
  case headerTruncated(byteCount: Int)
  case notBtsnoop
  case unsupportedVersion(UInt32)
  case unsupportedDatalink(UInt32)
  /// The file ends inside the record at `offset`; the records before it are good.
  case recordTruncated(offset: Int)
  /// The record at `offset` claims more bytes than any packet has; no later record can be found.
  case recordOversized(offset: Int, byteCount: UInt32)
}

/// One record of a capture, borrowed.
@frozen
public struct BtsnoopRecord: ~Escapable {
  /// Where the record starts in the file.
  public let offset: Int
  /// Microseconds since 1970 by the recorder's clock, which may step.
  public let time: Instant
  /// Bytes of the packet on the wire, at least as many as `payload` has; more when the recorder cut it.
  public let originalByteCount: Int
  /// The record's flags as they stand.
  public let flags: UInt32
  /// Packets the recorder dropped since it started, as it counted them.
  public let cumulativeDrops: UInt32
  /// The packet, without an H4 indicator of its own.
  public let payload: RawSpan
  public let content: Content

  @inlinable
  @_lifetime(copy payload)
  init(
    offset: Int, time: Instant, originalByteCount: Int, flags: UInt32, cumulativeDrops: UInt32,
    payload: RawSpan, content: Content
  ) {
    self.offset = offset
    self.time = time
    self.originalByteCount = originalByteCount
    self.flags = flags
    self.cumulativeDrops = cumulativeDrops
    self.payload = payload
    self.content = content
  }

  /// The content of a record.
  @frozen
  public enum Content: Equatable, Sendable, BitwiseCopyable {
    /// An HCI packet between host and controller `adapter` (0 unless the monitor says otherwise).
    case packet(PacketKind, isReceived: Bool, adapter: UInt16)
    /// A note of the Linux monitor that is no packet: adapter added or removed, log lines, and so on.
    case monitor(opcode: UInt16, adapter: UInt16)
    /// No packet: an H4 record whose indicator is unknown, or an empty one.
    case unknown(indicator: UInt8?)
  }
}

/// Reads a btsnoop capture that lies in memory (file format: RFC 1761 with Bluetooth datalinks; monitor opcodes:
/// BlueZ `doc/btmon.rst` and `src/shared/btsnoop.h`). Numbers are big-endian.
///
/// Inlinable, so that the fields of a record go from the file to their user in registers.
@frozen
public struct BtsnoopReader: ~Escapable {
  public let datalink: BtsnoopDatalink
  @usableFromInline var cursor: ByteCursor
  /// Where the bytes begin in the file.
  @usableFromInline let base: Int

  /// Checks the file header.
  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan) throws(BtsnoopError) {
    cursor = ByteCursor(bytes)
    base = 0
    guard let magic = cursor.bigEndianUInt64(), let version = cursor.bigEndianUInt32(),
      let code = cursor.bigEndianUInt32()
    else { throw .headerTruncated(byteCount: bytes.byteCount) }
    guard magic == Btsnoop.magic else { throw .notBtsnoop }
    guard version == 1 else { throw .unsupportedVersion(version) }
    guard let datalink = BtsnoopDatalink(rawValue: code) else { throw .unsupportedDatalink(code) }
    self.datalink = datalink
  }

  /// Goes on where another reader of the same capture had come to: at its ``offset``.
  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan, at offset: Int) throws(BtsnoopError) {
    try self.init(bytes)
    if offset > cursor.offset, !cursor.skip(offset - cursor.offset) { cursor.skipToEnd() }
  }

  /// Reads a piece of a capture that begins with a record, `offset` bytes after the start of the file.
  @inlinable
  @_lifetime(copy records)
  public init(_ records: RawSpan, _ datalink: BtsnoopDatalink, at offset: Int) {
    cursor = ByteCursor(records)
    self.datalink = datalink
    base = offset
  }

  /// Where the next record starts in the file.
  @inlinable
  public var offset: Int { base &+ cursor.offset }

  /// The next record, or nil at the end of the file. After an error there is no further record.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  public mutating func next() throws(BtsnoopError) -> BtsnoopRecord? {
    guard cursor.byteCount > 0 else { return nil }
    let start = offset
    guard let header = cursor.bytes(Btsnoop.recordHeaderByteCount) else {
      throw loseRest(.recordTruncated(offset: start))
    }
    let original = header.uint32(at: 0).byteSwapped
    let included = header.uint32(at: 4).byteSwapped
    let flags = header.uint32(at: 8).byteSwapped
    let drops = header.uint32(at: 12).byteSwapped
    let stamp = header.uint64(at: 16).byteSwapped
    guard included <= Btsnoop.recordBytesMax else {
      throw loseRest(.recordOversized(offset: start, byteCount: included))
    }
    guard let packet = cursor.bytes(Int(included)) else { throw loseRest(.recordTruncated(offset: start)) }
    let indicatorByteCount = datalink == .h4 && packet.byteCount > 0 ? 1 : 0
    let payload = packet.extracting(droppingFirst: indicatorByteCount)
    return BtsnoopRecord(
      offset: start, time: Instant(microseconds: Int64(bitPattern: stamp) &- Btsnoop.epochMicroseconds),
      originalByteCount: max(Int(original) - indicatorByteCount, payload.byteCount), flags: flags,
      cumulativeDrops: drops, payload: payload, content: content(flags: flags, payload: packet))
  }

  @inlinable
  mutating func loseRest(_ error: BtsnoopError) -> BtsnoopError {
    cursor.skipToEnd()
    return error
  }

  @inlinable
  @inline(__always)
  func content(flags: UInt32, payload: RawSpan) -> BtsnoopRecord.Content {
    let isReceived = flags & 1 != 0
    switch datalink {
    case .h4:
      var cursor = ByteCursor(payload)
      guard let indicator = cursor.uint8() else { return .unknown(indicator: nil) }
      guard let kind = PacketKind(rawValue: indicator) else { return .unknown(indicator: indicator) }
      return .packet(kind, isReceived: isReceived, adapter: 0)
    case .hci:
      let kind: PacketKind = flags & 2 == 0 ? .acl : isReceived ? .event : .command
      return .packet(kind, isReceived: isReceived, adapter: 0)
    case .monitor:
      let opcode = UInt16(truncatingIfNeeded: flags)
      let adapter = UInt16(truncatingIfNeeded: flags >> 16)
      guard let (kind, isReceived) = Btsnoop.packet(monitorOpcode: opcode) else {
        return .monitor(opcode: opcode, adapter: adapter)
      }
      return .packet(kind, isReceived: isReceived, adapter: adapter)
    }
  }
}

/// The numbers of a btsnoop capture.
public enum Btsnoop {
  public static var headerByteCount: Int { 16 }
  @inlinable public static var recordHeaderByteCount: Int { 24 }
  /// The longest HCI packet has 65,535 bytes of data after a header of 4 and an indicator of 1.
  @inlinable public static var recordBytesMax: UInt32 { 65_540 }

  /// "btsnoop" and a zero.
  public static var magic: UInt64 { 0x6274_736E_6F6F_7000 }
  /// 1970-01-01 in microseconds since the year 0, as the format counts.
  @inlinable public static var epochMicroseconds: Int64 { 0x00DC_DDB3_0F2F_8000 }

  /// Monitor opcodes 2 to 7, 18 and 19 carry packets.
  @usableFromInline
  static func packet(monitorOpcode opcode: UInt16) -> (PacketKind, isReceived: Bool)? {
    switch opcode {
    case 2: (.command, isReceived: false)
    case 3: (.event, isReceived: true)
    case 4: (.acl, isReceived: false)
    case 5: (.acl, isReceived: true)
    case 6: (.sco, isReceived: false)
    case 7: (.sco, isReceived: true)
    case 18: (.iso, isReceived: false)
    case 19: (.iso, isReceived: true)
    default: nil
    }
  }
}
