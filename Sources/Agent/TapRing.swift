// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The last packets of the radio, for those who record it.
///
/// Capacity: 4,096 packets and 256 KiB of their octets, set aside while somebody records. When either is full the
/// oldest packets go; who had not read them learns how many.
struct TapRing: Sendable {
  struct Entry: Sendable {
    var time = Instant(microseconds: 0)
    var isReceived = true
    /// Of its first octet among all that were ever stored.
    var start: UInt64 = 0
    var byteCount = 0
    /// It was too long to be kept; nobody advertises with so much.
    var isHole = false
  }

  static let packetBytesMax = 4096

  static let packetsMax = 4096
  static let bytesMax = 256 << 10

  private var entries: [Entry]
  private var bytes: [UInt8]
  private var end: UInt64 = 0
  /// The packet that comes next, and the oldest that is still here.
  private(set) var produced: UInt64 = 0
  private(set) var oldest: UInt64 = 0

  init() {
    entries = Array(repeating: Entry(), count: Self.packetsMax)
    bytes = Array(repeating: 0, count: Self.bytesMax)
  }

  /// Stores a packet, H4 indicator first. One over 4 KiB leaves a hole, which readers count as missed.
  mutating func append(_ packet: RawSpan, isReceived: Bool, at time: Instant) {
    let place = Int(produced % UInt64(Self.packetsMax))
    let isHole = packet.byteCount > Self.packetBytesMax
    let byteCount = isHole ? 0 : packet.byteCount
    entries[place] = Entry(
      time: time, isReceived: isReceived, start: end, byteCount: byteCount, isHole: isHole)
    for index in 0..<byteCount {
      bytes[Int(end % UInt64(Self.bytesMax))] = packet.uint8(at: index)
      end &+= 1
    }
    produced &+= 1
    if produced - oldest > UInt64(Self.packetsMax) { oldest &+= 1 }
    while entries[Int(oldest % UInt64(Self.packetsMax))].start + UInt64(Self.bytesMax) < end { oldest &+= 1 }
  }

  /// Whether a packet that should still be here was too long to be kept.
  func isHole(_ sequence: UInt64) -> Bool { entry(sequence).isHole }

  private func entry(_ sequence: UInt64) -> Entry {
    precondition(sequence >= oldest && sequence < produced, "the packet is gone")
    return entries[Int(sequence % UInt64(Self.packetsMax))]
  }

  /// A packet that is still here, and its octets; nil for a hole.
  func packet(_ sequence: UInt64) -> (entry: Entry, bytes: [UInt8])? {
    let entry = entry(sequence)
    guard !entry.isHole else { return nil }
    let octets = (0..<UInt64(entry.byteCount)).map { bytes[Int((entry.start + $0) % UInt64(Self.bytesMax))] }
    return (entry, octets)
  }
}
