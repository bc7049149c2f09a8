// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

@testable import Discovery

@Suite("Event ring")
struct EventRingTests {
  private static let epoch = Block128(high: 7, low: 9)
  private var start: EventCursor { EventCursor(epoch: Self.epoch, sequence: 0) }

  /// A ring with its memory.
  private final class Ring {
    private let memory = Memory()
    var ring: EventRing

    init(events: Int, bytes: Int) {
      var arena = memory.arena
      ring = EventRing(events: events, eventBytes: bytes, epoch: EventRingTests.epoch, in: &arena)
    }

    func append(_ item: Int32, _ data: [UInt8] = [], _ response: [UInt8] = []) {
      let sighting = Sighting(
        time: .milliseconds(Int64(item)), event: .found, reason: .matched, item: item, address: .device(1),
        samples: 0)
      ring.append(sighting, payload: data.span.rawBytes, response.span.rawBytes)
    }

    func payload(of sequence: UInt64, _ byteCount: Int) -> [UInt8] {
      (0..<byteCount).map { ring.payloadByte(of: sequence, at: $0) }
    }
  }

  /// Everything up to the end: the items delivered, and how many were missed.
  private func drain(_ ring: Ring, _ cursor: inout EventCursor) -> (items: [Int32], missed: UInt64) {
    var items: [Int32] = []
    var missed: UInt64 = 0
    while true {
      switch ring.ring.read(&cursor) {
      case .event(_, let sighting, _): items.append(sighting.item)
      case .missed(let count): missed += count
      case .end, .reset: return (items, missed)
      }
    }
  }

  @Test("Events come in order, numbered from 0, with the payload's two parts joined")
  func order() throws {
    let ring = Ring(events: 4, bytes: 100)
    ring.append(5, [1, 2], [3])
    ring.append(6)
    var cursor = start
    guard case .event(let sequence, let first, let byteCount) = ring.ring.read(&cursor) else {
      Issue.record("an event was expected")
      return
    }
    #expect(sequence == 0 && first.item == 5)
    #expect(ring.payload(of: 0, byteCount) == [1, 2, 3])
    #expect(drain(ring, &cursor).items == [6])
    #expect(cursor.sequence == 2)
  }

  @Test("A slow reader learns exactly how many events it missed, once")
  func missed() {
    let ring = Ring(events: 4, bytes: 100)
    for item: Int32 in 0..<10 { ring.append(item) }
    var cursor = start
    let (items, missed) = drain(ring, &cursor)
    #expect(items == [6, 7, 8, 9])
    #expect(missed == 6)
    #expect(drain(ring, &cursor).missed == 0)
  }

  @Test("Payload bytes run out before the slots do, and count alike")
  func payloadRunsOut() {
    let ring = Ring(events: 100, bytes: 10)
    for item: Int32 in 0..<5 { ring.append(item, [UInt8](repeating: UInt8(item), count: 4)) }
    var cursor = start
    let (items, missed) = drain(ring, &cursor)
    #expect(items == [3, 4])
    #expect(missed == 3)
    #expect(ring.payload(of: 3, 4) == [3, 3, 3, 3])  // Bytes 12...15 of a circle of 10.
    #expect(ring.payload(of: 4, 4) == [4, 4, 4, 4])  // Bytes 16...19.
  }

  @Test("A payload as long as the ring fits, a longer one is cut")
  func longPayload() {
    let ring = Ring(events: 4, bytes: 8)
    ring.append(0, Array(1...8))
    #expect(ring.payload(of: 0, 8) == Array(1...8))
    ring.append(1, Array(1...6), Array(7...12))
    #expect(ring.ring.oldest == 1)
    var cursor = EventCursor(epoch: Self.epoch, sequence: 1)
    guard case .event(_, _, let byteCount) = ring.ring.read(&cursor) else {
      Issue.record("an event was expected")
      return
    }
    #expect(byteCount == 8)
    #expect(ring.payload(of: 1, 8) == Array(1...8))
    ring.append(2, Array(1...20), [21])
    #expect(ring.payload(of: 2, 8) == Array(1...8))
  }

  @Test("A cursor of another run, or from the future, is reset and stays where it is")
  func reset() {
    let ring = Ring(events: 4, bytes: 100)
    ring.append(0)
    for other in [
      EventCursor(epoch: Block128(high: 7, low: 8), sequence: 0),
      EventCursor(epoch: Self.epoch, sequence: 2),
      EventCursor(epoch: Self.epoch, sequence: .max),
    ] {
      var cursor = other
      guard case .reset = ring.ring.read(&cursor) else {
        Issue.record("a reset was expected")
        continue
      }
      #expect(cursor == other)
    }
    var end = EventCursor(epoch: Self.epoch, sequence: 1)
    guard case .end = ring.ring.read(&end) else {
      Issue.record("the end was expected")
      return
    }
  }

  @Test("A ring without slots counts what it produced, all of it missed")
  func noSlots() {
    let ring = Ring(events: 0, bytes: 0)
    ring.append(0, [1])
    ring.append(1)
    var cursor = start
    #expect(drain(ring, &cursor).missed == 2)
  }

  @Test(
    "For every reader delivered and missed are produced, and payloads are whole", arguments: UInt64(1)...20)
  func randomReaders(seed: UInt64) {
    let ring = Ring(events: 16, bytes: 200)
    var dice = SeededGenerator(seed: seed)
    var cursors = [EventCursor](repeating: start, count: 4)
    var delivered = [UInt64](repeating: 0, count: 4)
    var missed = delivered
    var produced: Int32 = 0
    for _ in 0..<3000 {
      let reader = dice.number(below: 12)
      guard reader < 4 else {
        // The payload of event n is made of bytes n, split at a random place.
        let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: produced), count: dice.number(below: 63))
        let border = dice.number(below: bytes.count + 1)
        ring.append(produced, Array(bytes[..<border]), Array(bytes[border...]))
        produced += 1
        continue
      }
      switch ring.ring.read(&cursors[reader]) {
      case .event(let sequence, let sighting, let byteCount):
        #expect(sequence == delivered[reader] + missed[reader], "seed \(seed)")
        #expect(sighting.item == Int32(sequence), "seed \(seed)")
        let wanted = UInt8(truncatingIfNeeded: sequence)
        #expect(ring.payload(of: sequence, byteCount).allSatisfy { $0 == wanted }, "seed \(seed)")
        delivered[reader] += 1
      case .missed(let count): missed[reader] += count
      case .end: #expect(delivered[reader] + missed[reader] == UInt64(produced), "seed \(seed)")
      case .reset: Issue.record("no cursor was reset, seed \(seed)")
      }
    }
    #expect(ring.ring.produced == UInt64(produced))
    for reader in 0..<4 {
      let rest = drain(ring, &cursors[reader])
      #expect(delivered[reader] + missed[reader] + UInt64(rest.items.count) + rest.missed == UInt64(produced))
    }
  }
}
