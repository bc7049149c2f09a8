// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// One message of a netlink datagram (linux/netlink.h): a header of 16 bytes and its payload.
///
/// Numbers are in the byte order of the processor; the agent's processors are least significant byte first.
public struct NetlinkMessage: ~Escapable {
  /// The types that every family has.
  public enum Kind {
    static let error: UInt16 = 2
    static let done: UInt16 = 3
    /// The family that names the others (linux/genetlink.h).
    static let control: UInt16 = 16
  }

  static let headerByteCount = 16

  /// A type that every family has, or the number of a family.
  public let kind: UInt16
  /// The number of the request that this replies to; 0 for news.
  public let sequence: UInt32
  public let payload: RawSpan

  @_lifetime(copy payload)
  init(kind: UInt16, sequence: UInt32, payload: RawSpan) {
    self.kind = kind
    self.sequence = sequence
    self.payload = payload
  }
}

/// Reads the messages of a datagram one by one, and stops at the first one that does not fit.
public struct NetlinkMessages: ~Escapable {
  private var cursor: ByteCursor
  /// Whether a message was longer than the datagram, or shorter than its header.
  public private(set) var isMalformed = false

  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan) { cursor = ByteCursor(bytes) }

  @_lifetime(copy self)
  public mutating func next() -> NetlinkMessage? {
    guard cursor.byteCount > 0 else { return nil }
    guard let length = cursor.uint32(), let kind = cursor.uint16(), cursor.skip(2),
      let sequence = cursor.uint32(), cursor.skip(4), Int(length) >= NetlinkMessage.headerByteCount,
      let payload = cursor.bytes(Int(length) - NetlinkMessage.headerByteCount)
    else {
      isMalformed = true
      cursor.skipToEnd()
      return nil
    }
    skipPadding(after: Int(length), in: &cursor)
    return NetlinkMessage(kind: kind, sequence: sequence, payload: payload)
  }
}

/// Reads attributes one by one (linux/netlink.h): a length of two bytes that counts itself, two bytes with the kind,
/// the value, and up to three bytes of padding. Stops at the first one that does not fit.
struct NetlinkAttributes: ~Escapable {
  private static let headerByteCount = 4
  /// The upper two bits are flags.
  private static let kindMask: UInt16 = 0x3FFF

  private var cursor: ByteCursor
  private(set) var isMalformed = false

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) { cursor = ByteCursor(bytes) }

  /// Returns the kind and the value of the next attribute.
  @_lifetime(copy self)
  mutating func next(_ kind: inout UInt16) -> RawSpan? {
    guard cursor.byteCount > 0 else { return nil }
    guard let length = cursor.uint16(), let word = cursor.uint16(), Int(length) >= Self.headerByteCount,
      let value = cursor.bytes(Int(length) - Self.headerByteCount)
    else {
      isMalformed = true
      cursor.skipToEnd()
      return nil
    }
    skipPadding(after: Int(length), in: &cursor)
    kind = word & Self.kindMask
    return value
  }
}

/// Messages and attributes begin at multiples of four bytes; the last one may lack its padding.
private func skipPadding(after length: Int, in cursor: inout ByteCursor) {
  if !cursor.skip((4 - length % 4) % 4) { cursor.skipToEnd() }
}

/// A request to the kernel about networks, over generic netlink (linux/genetlink.h, linux/nl80211.h).
public enum ScanRequest: Equatable, Sendable {
  /// Ask for the number of nl80211 and of its groups.
  case findFamily
  /// Scan all channels, with probe requests for any name.
  case startScan(family: UInt16, interface: UInt32)
  /// List the networks that the kernel knows.
  case list(family: UInt16, interface: UInt32)

  private static let isRequest: UInt16 = 1
  private static let wantsReply: UInt16 = 4
  private static let wantsList: UInt16 = 0x300
  private static let isNested: UInt16 = 0x8000

  /// The datagram with this sequence number, in the byte order of the agent's processors: least significant byte first.
  public func bytes(sequence: UInt32) -> [UInt8] {
    switch self {
    case .findFamily:
      Self.message(
        kind: NetlinkMessage.Kind.control, flags: Self.isRequest, sequence, command: 3,
        Self.attribute(2, Array("nl80211\0".utf8)))
    case .startScan(let family, let interface):
      Self.message(
        kind: family, flags: Self.isRequest | Self.wantsReply, sequence, command: 33,
        Self.attribute(3, interface.littleEndianBytes)
          // One empty name: the probe request that every network replies to.
          + Self.attribute(45 | Self.isNested, Self.attribute(1, [])))
    case .list(let family, let interface):
      Self.message(
        kind: family, flags: Self.isRequest | Self.wantsList, sequence, command: 32,
        Self.attribute(3, interface.littleEndianBytes))
    }
  }

  private static func message(
    kind: UInt16, flags: UInt16, _ sequence: UInt32, command: UInt8, _ attributes: [UInt8]
  ) -> [UInt8] {
    let byteCount = UInt32(NetlinkMessage.headerByteCount + 4 + attributes.count)
    return byteCount.littleEndianBytes + kind.littleEndianBytes + flags.littleEndianBytes
      + sequence.littleEndianBytes + [0, 0, 0, 0] + [command, 1, 0, 0] + attributes
  }

  private static func attribute(_ kind: UInt16, _ value: [UInt8]) -> [UInt8] {
    UInt16(value.count + 4).littleEndianBytes + kind.littleEndianBytes + value
      + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
  }
}
