// SPDX-License-Identifier: GPL-3.0-or-later

/// The packet indicator that opens every packet on an H4 transport (Core Specification 5.4, Volume 4, Part A, 2,
/// and Part E, 5.4).
@frozen
public enum PacketKind: UInt8, Sendable, BitwiseCopyable {
  case command = 1
  case acl = 2
  case sco = 3
  case event = 4
  case iso = 5

  /// Bytes of the header that follows the indicator.
  @inlinable
  public var headerByteCount: Int {
    switch self {
    case .command: 3
    case .acl, .iso: 4
    case .sco: 3
    case .event: 2
    }
  }

  /// Bytes that follow a header of this kind, which is consumed; nil when the header is truncated.
  func readBodyByteCount(_ cursor: inout ByteCursor) -> Int? {
    switch self {
    case .command, .sco: cursor.skip(2) ? cursor.uint8().map(Int.init) : nil
    case .acl: cursor.skip(2) ? cursor.uint16().map(Int.init) : nil
    case .iso: cursor.skip(2) ? cursor.uint16().map { Int($0 & 0x3FFF) } : nil
    case .event: cursor.skip(1) ? cursor.uint8().map(Int.init) : nil
    }
  }
}

/// Why bytes are not an H4 packet.
public enum PacketError: Error, Equatable, Sendable, BitwiseCopyable {
  case empty
  case unknownKind(UInt8)
}

/// One HCI packet with its H4 indicator, borrowed.
@frozen
public struct Packet: ~Escapable {
  public let kind: PacketKind
  /// Header and parameters, without the indicator.
  public let body: RawSpan

  @inlinable
  @_lifetime(copy body)
  public init(kind: PacketKind, body: RawSpan) {
    self.kind = kind
    self.body = body
  }

  /// Takes one whole packet as a datagram delivers it: indicator first. What its header says about its length is
  /// judged by the reader of its kind.
  @inlinable
  @inline(__always)
  @_lifetime(copy bytes)
  public init(parsing bytes: RawSpan) throws(PacketError) {
    var cursor = ByteCursor(bytes)
    guard let indicator = cursor.uint8() else { throw .empty }
    guard let kind = PacketKind(rawValue: indicator) else { throw .unknownKind(indicator) }
    self.kind = kind
    body = cursor.rest
  }
}

/// Where the first packet of an H4 byte stream ends (Volume 4, Part A, 2: a stream has no other borders).
public enum StreamFrame: Equatable, Sendable {
  /// How many more bytes the stream must deliver, at least, before the packet's end is known.
  case needs(Int)
  /// The first `byteCount` bytes are a packet.
  case packet(byteCount: Int)

  /// Measures the packet at the front of `bytes`; an unknown indicator means that the stream is out of step.
  public init(measuring bytes: RawSpan) throws(PacketError) {
    var cursor = ByteCursor(bytes)
    guard let indicator = cursor.uint8() else {
      self = .needs(1)
      return
    }
    guard let kind = PacketKind(rawValue: indicator) else { throw .unknownKind(indicator) }
    let headerBytesPresent = cursor.byteCount
    guard let byteCount = kind.readBodyByteCount(&cursor) else {
      self = .needs(kind.headerByteCount - headerBytesPresent)
      return
    }
    let missing = byteCount - cursor.byteCount
    self = missing > 0 ? .needs(missing) : .packet(byteCount: cursor.offset + byteCount)
  }
}
