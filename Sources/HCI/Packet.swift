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

  /// Octets of the header that follows the indicator.
  @inlinable
  public var headerByteCount: Int {
    switch self {
    case .command: 3
    case .acl, .iso: 4
    case .sco: 3
    case .event: 2
    }
  }

  /// Octets that follow a header of this kind, as the header says. `header` has `headerByteCount` octets.
  func bodyByteCount(header: RawSpan) -> Int {
    switch self {
    case .command, .sco: Int(header.uint8(at: 2))
    case .acl: Int(header.uint16(at: 2))
    case .iso: Int(header.uint16(at: 2) & 0x3FFF)
    case .event: Int(header.uint8(at: 1))
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
    guard bytes.byteCount > 0 else { throw .empty }
    // Holds, here and below: the span is not empty.
    let indicator = unsafe bytes.uncheckedUInt8(at: 0)
    guard let kind = PacketKind(rawValue: indicator) else { throw .unknownKind(indicator) }
    self.kind = kind
    self.body = unsafe bytes.uncheckedSlice(at: 1, count: bytes.byteCount &- 1)
  }
}

/// Where the first packet of an H4 byte stream ends (Volume 4, Part A, 2: a stream has no other borders).
public enum StreamFrame: Equatable, Sendable {
  /// The stream must deliver at least so many more octets before anything can be said.
  case needs(Int)
  /// The first so many octets are a packet.
  case packet(byteCount: Int)

  /// Measures the packet at the front of `bytes`; an unknown indicator means that the stream is out of step.
  public init(measuring bytes: RawSpan) throws(PacketError) {
    guard bytes.byteCount > 0 else {
      self = .needs(1)
      return
    }
    guard let kind = PacketKind(rawValue: bytes.uint8(at: 0)) else { throw .unknownKind(bytes.uint8(at: 0)) }
    let start = 1 + kind.headerByteCount
    guard bytes.byteCount >= start else {
      self = .needs(start - bytes.byteCount)
      return
    }
    let end = start + kind.bodyByteCount(header: bytes.extracting(1..<start))
    self = bytes.byteCount >= end ? .packet(byteCount: end) : .needs(end - bytes.byteCount)
  }
}
