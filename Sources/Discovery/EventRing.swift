// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// One sighting event; its payload lies in the ring that holds it.
public struct Sighting: Sendable, BitwiseCopyable {
  public var time: Instant
  public var event: SightingEvent
  public var reason: SightingReason
  /// Index of the display item among all items of the manifest.
  public var item: Int32
  public var address: DeviceAddress
  /// The last report's RSSI as received, or nil when it had none.
  public var rssi: Int8?
  /// The level the gate decides on: filtered, adapter offset included; nil without a reading.
  public var filteredRSSI: Int8?
  /// dB between the known transmit power and the filtered level.
  public var pathLoss: Int16?
  /// Readings in the filter since the device was last silent.
  public var samples: UInt16
  /// The number of the device's last report, as far as the number goes.
  public var report: UInt16 = 0
  /// New frames that were left out since the device's last event of the item.
  public var skipped: UInt32 = 0
}

/// A position in a ring: the run of the program it belongs to and the next sequence number to read.
public struct EventCursor: Equatable, Sendable, BitwiseCopyable {
  public var epoch: Block128
  public var sequence: UInt64

  public init(epoch: Block128, sequence: UInt64) {
    self.epoch = epoch
    self.sequence = sequence
  }
}

/// Events in the order they happened, numbered from 0.
///
/// Capacity: a fixed number of events and of payload bytes. When either is full the oldest events are overwritten;
/// a reader that comes too late learns exactly how many it missed, so that for every reader
/// delivered + missed = produced.
public struct EventRing: ~Copyable {
  struct Slot: BitwiseCopyable {
    var sighting: Sighting
    /// Start of the payload among all bytes ever written.
    var start: UInt64
    var byteCount: Int32
  }

  /// 128 random bits, or fixed ones in a replay.
  public let epoch: Block128
  private let memory: Memory
  var slots: FixedTable<Slot> { memory.slots }
  var bytes: FixedTable<UInt8> { memory.bytes }
  private var bytesWritten: UInt64 = 0
  /// Sequence number of the oldest event that is still there.
  public internal(set) var oldest: UInt64 = 0
  /// Events ever produced, and the sequence number of the next one.
  public internal(set) var produced: UInt64 = 0

  /// The memory of a ring.
  public struct Memory: BitwiseCopyable {
    let slots: FixedTable<Slot>
    let bytes: FixedTable<UInt8>

    /// No memory.
    init() { (slots, bytes) = (.empty, .empty) }

    public init(events: Int, eventBytes: Int, in arena: inout Arena) {
      let blank = Sighting(
        time: Instant(microseconds: 0), event: .found, reason: .matched, item: 0,
        address: DeviceAddress(bits: 0, type: .public), samples: 0)
      slots = arena.table(of: Slot(sighting: blank, start: 0, byteCount: 0), count: events)
      bytes = arena.table(of: 0, count: eventBytes)
    }
  }

  public init(events: Int, eventBytes: Int, epoch: Block128, in arena: inout Arena) {
    self.init(Memory(events: events, eventBytes: eventBytes, in: &arena), epoch: epoch)
  }

  /// A ring in memory that lives as long as the ring and its successors.
  public init(_ memory: Memory, epoch: Block128) {
    self.epoch = epoch
    self.memory = memory
  }

  /// A ring that keeps nothing.
  public init(epoch: Block128) { self.init(Memory(), epoch: epoch) }

  /// The same ring for another pipeline.
  init(continuing other: borrowing EventRing) {
    (epoch, memory) = (other.epoch, other.memory)
    (bytesWritten, oldest, produced) = (other.bytesWritten, other.oldest, other.produced)
  }

  /// Adds an event whose payload is `first` followed by `second`, forgetting the oldest ones as needed. A payload
  /// that the whole ring could not hold is cut.
  mutating func append(_ sighting: Sighting, payload first: RawSpan, _ second: RawSpan) {
    guard slots.count > 0 else {
      produced &+= 1
      oldest = produced
      return
    }
    let head = first.extracting(first: min(first.byteCount, bytes.count))
    let tail = second.extracting(first: min(second.byteCount, bytes.count - head.byteCount))
    let byteCount = head.byteCount + tail.byteCount
    let end = bytesWritten &+ UInt64(byteCount)
    while oldest < produced, isInTheWay(of: end) { oldest &+= 1 }
    slots[slotIndex(produced)] = Slot(sighting: sighting, start: bytesWritten, byteCount: Int32(byteCount))
    write(head, at: bytesWritten)
    write(tail, at: bytesWritten &+ UInt64(head.byteCount))
    bytesWritten = end
    produced &+= 1
  }

  func slotIndex(_ sequence: UInt64) -> Int {
    Int(truncatingIfNeeded: sequence % UInt64(slots.count))
  }

  private func isInTheWay(of end: UInt64) -> Bool {
    let isOutOfSlots = produced &- oldest >= UInt64(slots.count)
    return isOutOfSlots || end &- slots[slotIndex(oldest)].start > UInt64(bytes.count)
  }

  /// Copies into the circle of bytes, around its end when need be.
  private func write(_ source: RawSpan, at position: UInt64) {
    guard source.byteCount > 0 else { return }
    let start = Int(truncatingIfNeeded: position % UInt64(bytes.count))
    let fitting = min(source.byteCount, bytes.count - start)
    bytes.write(source.extracting(first: fitting), at: start)
    bytes.write(source.extracting(droppingFirst: fitting), at: 0)
  }

  /// The result of a read at a cursor.
  public enum Reading: Sendable, BitwiseCopyable {
    /// The next event. Its payload is read with ``payloadByte(of:at:)``.
    case event(sequence: UInt64, Sighting, payloadByteCount: Int)
    /// The number of events that were overwritten before they were read; the cursor now stands at the oldest one left.
    case missed(UInt64)
    /// Nothing new.
    case end
    /// The cursor is of another run, or from the future: the reader must list everything again.
    case reset
  }

  /// Reads at `cursor` and moves it on.
  public func read(_ cursor: inout EventCursor) -> Reading {
    guard cursor.epoch == epoch, cursor.sequence <= produced else { return .reset }
    guard cursor.sequence >= oldest else {
      let missed = oldest &- cursor.sequence
      cursor.sequence = oldest
      return .missed(missed)
    }
    guard cursor.sequence < produced else { return .end }
    let slot = slots[slotIndex(cursor.sequence)]
    defer { cursor.sequence &+= 1 }
    return .event(
      sequence: cursor.sequence, slot.sighting, payloadByteCount: Int(slot.byteCount))
  }

  /// One byte of the payload of an event that is still there.
  public func payloadByte(of sequence: UInt64, at index: Int) -> UInt8 {
    precondition(sequence >= oldest && sequence < produced, "the event is gone")
    let slot = slots[slotIndex(sequence)]
    precondition(index >= 0 && index < slot.byteCount)
    return bytes[Int(truncatingIfNeeded: (slot.start &+ UInt64(index)) % UInt64(bytes.count))]
  }
}
