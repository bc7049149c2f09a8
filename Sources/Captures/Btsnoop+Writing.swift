// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The parts of a btsnoop capture; the caller puts them into a file, each record header followed by its packet.
extension Btsnoop {
  /// The file header.
  public static func header(_ datalink: BtsnoopDatalink) -> InlineArray<16, UInt8> {
    var header = InlineArray<16, UInt8>(repeating: 0)
    for index in 0..<8 { header[index] = UInt8(truncatingIfNeeded: magic >> UInt64(56 - 8 * index)) }
    header[11] = 1
    for index in 0..<4 {
      header[12 + index] = UInt8(truncatingIfNeeded: datalink.rawValue >> UInt32(24 - 8 * index))
    }
    return header
  }

  /// The header of a record that holds a whole packet of `byteCount` bytes, the H4 indicator included where the
  /// datalink wants one. `flags` as ``flags(_:kind:isReceived:adapter:)`` makes them.
  public static func recordHeader(
    byteCount: Int, flags: UInt32, cumulativeDrops: UInt32 = 0, time: Instant
  ) -> InlineArray<24, UInt8> {
    var header = InlineArray<24, UInt8>(repeating: 0)
    let fields: InlineArray<4, UInt32> = [
      UInt32(truncatingIfNeeded: byteCount), UInt32(truncatingIfNeeded: byteCount), flags, cumulativeDrops,
    ]
    for index in 0..<16 {
      header[index] = UInt8(truncatingIfNeeded: fields[index / 4] >> UInt32(24 - 8 * (index % 4)))
    }
    let stamp = UInt64(bitPattern: time.microseconds &+ epochMicroseconds)
    for index in 0..<8 { header[16 + index] = UInt8(truncatingIfNeeded: stamp >> UInt64(56 - 8 * index)) }
    return header
  }

  /// The flags of a record.
  public static func flags(
    _ datalink: BtsnoopDatalink, kind: PacketKind, isReceived: Bool, adapter: UInt16 = 0
  ) -> UInt32 {
    switch datalink {
    case .hci, .h4:
      let isCommandOrEvent = kind == .command || kind == .event
      return (isReceived ? 1 : 0) | (isCommandOrEvent ? 2 : 0)
    case .monitor:
      return UInt32(adapter) << 16 | UInt32(monitorOpcode(kind, isReceived: isReceived))
    }
  }

  private static func monitorOpcode(_ kind: PacketKind, isReceived: Bool) -> UInt16 {
    switch kind {
    case .command: 2
    case .event: 3
    case .acl: isReceived ? 5 : 4
    case .sco: isReceived ? 7 : 6
    case .iso: isReceived ? 19 : 18
    }
  }
}

extension BtsnoopReader {
  /// Whether bytes may be the first ones of a capture: as far as they go, they are those of the magic number.
  public static func mayBegin(with bytes: RawSpan) -> Bool {
    for index in 0..<min(8, bytes.byteCount) {
      let expected = UInt8(truncatingIfNeeded: Btsnoop.magic >> UInt64(56 - 8 * index))
      if bytes.uint8(at: index) != expected { return false }
    }
    return true
  }
}
