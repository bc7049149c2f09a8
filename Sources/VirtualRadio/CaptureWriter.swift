// SPDX-License-Identifier: GPL-3.0-or-later

import Captures
public import HCI

/// Builds a btsnoop capture of H4 packets (datalink 1002) in memory.
public struct CaptureWriter: Sendable {
  /// The file so far.
  public private(set) var bytes: [UInt8] = []
  public private(set) var recordCount = 0
  private let start: Instant

  /// `start` is the wall clock of time 0, in microseconds since 1970.
  public init(start: Instant) {
    self.start = start
    append(Btsnoop.header(.h4).span)
  }

  /// Appends one packet, H4 indicator first. `isReceived` is true for a packet from the controller.
  public mutating func append(_ packet: [UInt8], isReceived: Bool, at time: Instant) {
    guard let kind = packet.first.flatMap(PacketKind.init) else {
      preconditionFailure("a packet starts with an H4 indicator")
    }
    append(
      Btsnoop.recordHeader(
        byteCount: packet.count, flags: Btsnoop.flags(.h4, kind: kind, isReceived: isReceived),
        time: Instant(microseconds: start.microseconds + time.microseconds)
      ).span)
    bytes += packet
    recordCount += 1
  }

  private mutating func append(_ bytes: Span<UInt8>) {
    for index in bytes.indices { self.bytes.append(bytes[index]) }
  }
}
