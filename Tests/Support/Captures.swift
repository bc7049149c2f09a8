// SPDX-License-Identifier: GPL-3.0-or-later

import Captures
public import HCI

/// Made-up btsnoop captures.
public enum Captures {
  /// A packet, indicator first, and the way it went.
  public struct Written: Sendable {
    public let packet: [UInt8]
    public let kind: PacketKind
    public let isReceived: Bool
  }

  /// Every packet kind and direction that `datalink` can tell apart.
  public static func kinds(_ datalink: BtsnoopDatalink) -> [Written] {
    let all: [(Fixture, PacketKind, Bool)] = [
      (Packets.command, .command, false), (Packets.legacy, .event, true), (Packets.acl, .acl, false),
      (Packets.acl, .acl, true), (Packets.sco, .sco, false),
      (Packets.sco, .sco, true), (Packets.iso, .iso, false),
      (Packets.iso, .iso, true), (Packets.extendedChain, .event, true),
    ]
    return all.map { Written(packet: $0.bytes, kind: $1, isReceived: $2) }
      .filter { datalink != .hci || ($0.kind != .sco && $0.kind != .iso) }
  }

  /// A capture with one record of each of `kinds`, 100 ms apart, from adapter 3 where the datalink can say so.
  public static func everyKind(_ datalink: BtsnoopDatalink) -> Fixture {
    let records = kinds(datalink).enumerated().map { index, written in
      let flags = Btsnoop.flags(datalink, kind: written.kind, isReceived: written.isReceived, adapter: 3)
      let packet = datalink == .h4 ? written.packet : Array(written.packet.dropFirst())
      return record(flags: flags, packet: packet, time: time(index))
    }
    return Fixture("every kind, datalink \(datalink.rawValue)", file(datalink, records))
  }

  /// When the record `index` of a capture was taken.
  public static func time(_ index: Int) -> Instant {
    Instant(microseconds: 1_700_000_000_000_000 + Int64(index) * 100_000)
  }

  public static func record(
    flags: UInt32, packet: [UInt8], time: Instant = Instant(microseconds: 0)
  ) -> [UInt8] {
    Btsnoop.recordHeader(byteCount: packet.count, flags: flags, time: time).bytes + packet
  }

  public static func file(_ datalink: BtsnoopDatalink, _ records: [[UInt8]]) -> [UInt8] {
    Btsnoop.header(datalink).bytes + records.joined()
  }
}

extension InlineArray where Element == UInt8 {
  /// A copy as an array.
  public var bytes: [UInt8] { indices.map { self[$0] } }
}
