// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The radio's last packets, for clients that record them.
///
/// Capacity: ``readersMax`` readers, ``packetsMax`` packets and ``bytesMax`` of their bytes. The memory is there only
/// while a client records. When either is full the oldest packets go; a reader that is too late learns how many it
/// missed.
struct PacketTap {
  /// A packet, H4 indicator first.
  struct Packet {
    let time: Instant
    let isReceived: Bool
    let bytes: [UInt8]
  }

  static let readersMax = 4
  static let packetsMax = 4096
  static let bytesMax = 256 << 10
  /// A longer packet is counted as missed; no controller sends advertising in packets that long.
  static let packetBytesMax = 4096

  private(set) var readerCount = 0
  /// How many readers have the radio listen all the time.
  var listenerCount = 0
  private var ring: PacketRing?

  /// Adds a reader. Returns the number of the next packet, or nil when there are ``readersMax`` readers.
  mutating func attach() -> UInt64? {
    guard readerCount < Self.readersMax else { return nil }
    readerCount += 1
    let ring = ring ?? PacketRing()
    self.ring = ring
    return ring.produced
  }

  mutating func detach() {
    precondition(readerCount > 0, "every reader was attached")
    readerCount -= 1
    if readerCount == 0 { ring = nil }
  }

  /// Keeps a packet while there are readers.
  mutating func append(_ packet: RawSpan, isReceived: Bool, at time: Instant) {
    ring?.append(packet, isReceived: isReceived, at: time)
  }

  /// Moves to the next packet that is there, and returns how many were not.
  func skipMissing(_ sequence: inout UInt64) -> UInt64 {
    guard let ring else { return 0 }
    let start = sequence
    sequence = max(sequence, ring.oldest)
    while sequence < ring.produced, ring.entry(sequence).isHole { sequence += 1 }
    return sequence - start
  }

  /// The packet of a number; nil for one that has not come yet, or was too long.
  func packet(_ sequence: UInt64) -> Packet? {
    guard let ring, sequence < ring.produced else { return nil }
    return ring.packet(sequence)
  }
}

private struct PacketRing {
  struct Entry {
    var time = Instant(microseconds: 0)
    var isReceived = true
    /// The number of its first byte among all that were ever stored.
    var start: UInt64 = 0
    var byteCount = 0
    var isHole = false
  }

  private var entries = [Entry](repeating: Entry(), count: PacketTap.packetsMax)
  private var bytes = [UInt8](repeating: 0, count: PacketTap.bytesMax)
  private var end: UInt64 = 0
  /// The number of the next packet, and of the oldest that is still here.
  private(set) var produced: UInt64 = 0
  private(set) var oldest: UInt64 = 0

  mutating func append(_ packet: RawSpan, isReceived: Bool, at time: Instant) {
    let isHole = packet.byteCount > PacketTap.packetBytesMax
    let byteCount = isHole ? 0 : packet.byteCount
    entries[Int(produced % UInt64(PacketTap.packetsMax))] = Entry(
      time: time, isReceived: isReceived, start: end, byteCount: byteCount, isHole: isHole)
    for index in 0..<byteCount {
      bytes[Int(end % UInt64(PacketTap.bytesMax))] = packet.uint8(at: index)
      end &+= 1
    }
    produced &+= 1
    if produced - oldest > UInt64(PacketTap.packetsMax) { oldest &+= 1 }
    while entry(oldest).start + UInt64(PacketTap.bytesMax) < end { oldest &+= 1 }
  }

  func entry(_ sequence: UInt64) -> Entry {
    precondition(sequence >= oldest && sequence < produced, "the packet is gone")
    return entries[Int(sequence % UInt64(PacketTap.packetsMax))]
  }

  func packet(_ sequence: UInt64) -> PacketTap.Packet? {
    let entry = entry(sequence)
    guard !entry.isHole else { return nil }
    let copy = (0..<UInt64(entry.byteCount)).map {
      bytes[Int((entry.start + $0) % UInt64(PacketTap.bytesMax))]
    }
    return PacketTap.Packet(time: entry.time, isReceived: entry.isReceived, bytes: copy)
  }
}
