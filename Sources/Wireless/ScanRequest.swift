// SPDX-License-Identifier: GPL-3.0-or-later

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
