// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

@testable import Discovery

@Suite("Deadline heap")
struct DeadlineHeapTests {
  @Test("It equals a sorted list over random steps", arguments: UInt64(1)...20)
  func model(seed: UInt64) {
    let memory = Memory()
    var arena = memory.arena
    var heap = DeadlineHeap(rows: 40, in: &arena)
    var model: [Int: Int64] = [:]
    var dice = SeededGenerator(seed: seed)
    for step in 0..<3000 {
      let row = dice.number(below: 40)
      let time = Int64(dice.number(below: 50))  // Few times, so that ties occur.
      switch dice.number(below: 4) {
      case 0, 1:
        heap.schedule(row, noLaterThan: .milliseconds(time))
        model[row] = min(model[row] ?? .max, time)
      case 2:
        heap.remove(row)
        model[row] = nil
      default:
        guard let first = heap.first else { break }
        let later = first.time.microseconds / 1000 + time
        heap.postponeFirst(to: .milliseconds(later))
        model[first.row] = later
      }
      heap.checkInvariants()
      let expected = model.min { ($0.value, $0.key) < ($1.value, $1.key) }
      #expect(heap.first?.row == expected?.key, "seed \(seed), step \(step)")
      #expect(heap.first?.time == expected.map { .milliseconds($0.value) }, "seed \(seed), step \(step)")
      let isDue = model[row].map { $0 > time } ?? false
      #expect(heap.isDue(row, after: .milliseconds(time)) == isDue)
    }
    withExtendedLifetime(memory) {}
  }

  @Test("What is due at one time comes out in the order of rows")
  func ties() {
    let memory = Memory()
    var arena = memory.arena
    var heap = DeadlineHeap(rows: 10, in: &arena)
    for row in [7, 3, 9, 0, 5] { heap.schedule(row, noLaterThan: .milliseconds(1)) }
    var order: [Int] = []
    while let first = heap.first {
      order.append(first.row)
      heap.remove(first.row)
    }
    #expect(order == [0, 3, 5, 7, 9])
    withExtendedLifetime(memory) {}
  }
}

@Suite("Address index")
struct AddressIndexTests {
  @Test("It equals a dictionary over random insertions and removals", arguments: UInt64(1)...20)
  func model(seed: UInt64) {
    let memory = Memory()
    var arena = memory.arena
    let rows = 64  // 128 slots, half full at most.
    var index = AddressIndex(rows: rows, hashKey: .replay, in: &arena)
    var model: [DeviceAddress: Int] = [:]
    var free = Array(0..<rows)
    var dice = SeededGenerator(seed: seed)
    // Few addresses of several types, many with equal bits.
    let types: [AddressType] = [.public, .random, .publicIdentity, .randomIdentity]
    func address() -> DeviceAddress {
      DeviceAddress(bits: UInt64(dice.number(below: 60)), type: types[dice.number(below: 4)])
    }
    for step in 0..<5000 {
      let one = address()
      if let row = model[one] {
        if dice.chance(perMille: 600) {
          index.remove(one)
          model[one] = nil
          free.append(row)
        }
      } else if let row = free.popLast() {
        index.insert(one, row: row)
        model[one] = row
      }
      let other = address()
      #expect(index.row(of: other) == model[other] ?? -1, "seed \(seed), step \(step)")
      guard step % 100 == 0 else { continue }
      for (address, row) in model { #expect(index.row(of: address) == row, "seed \(seed), step \(step)") }
    }
    withExtendedLifetime(memory) {}
  }

  @Test("Addresses that collide under one key are spread by another")
  func keys() {
    let memory = Memory()
    var arena = memory.arena
    let known = AddressIndex(rows: 64, hashKey: .replay, in: &arena)
    let secret = AddressIndex(rows: 64, hashKey: HashKey(random: 0x5DEE_CE66_D1CE_4E5B), in: &arena)
    let colliding = (UInt64(0)..<10_000).map { DeviceAddress.device($0) }.filter { known.home($0.word) == 7 }
    #expect(colliding.count > 50)
    let slots = colliding.map { secret.home($0.word) }
    #expect(Set(slots).count > colliding.count / 2)
    withExtendedLifetime(memory) {}
  }

  @Test("Removing inside a run that wraps around the table's end keeps the rest reachable")
  func wrapAround() {
    let memory = Memory()
    var arena = memory.arena
    // 4 slots: any two addresses are often neighbours.
    var index = AddressIndex(rows: 2, hashKey: .replay, in: &arena)
    for first: UInt64 in 0..<20 {
      for second in (first + 1)..<21 {
        index.insert(.device(first), row: 0)
        index.insert(.device(second), row: 1)
        index.remove(.device(first))
        #expect(index.row(of: .device(first)) == -1)
        #expect(index.row(of: .device(second)) == 1)
        index.remove(.device(second))
        #expect(index.row(of: .device(second)) == -1)
      }
    }
    withExtendedLifetime(memory) {}
  }
}

@Suite("Victim queue")
struct VictimQueueTests {
  private struct Row: Equatable {
    var row: Int
    var lastSeen: Int64

    static func precedes(_ left: Self, _ right: Self) -> Bool {
      (left.lastSeen, left.row) < (right.lastSeen, right.row)
    }
  }

  private func drain(_ queue: inout VictimQueue) -> [Row] {
    var rows: [Row] = []
    while let next = queue.next() {
      rows.append(Row(row: Int(next.row), lastSeen: next.lastSeen.microseconds / 1000))
    }
    return rows
  }

  @Test("It holds the first 32 of a sort, ties in the order of rows", arguments: UInt64(1)...20)
  func sort(seed: UInt64) {
    let memory = Memory()
    var arena = memory.arena
    var queue = VictimQueue(in: &arena)
    var dice = SeededGenerator(seed: seed)
    queue.restart(unknownDevices: true)
    let rows = (0..<200).map { Row(row: $0, lastSeen: Int64(dice.number(below: 40))) }
    for row in rows { queue.offer(row: row.row, lastSeen: .milliseconds(row.lastSeen)) }
    #expect(drain(&queue) == Array(rows.sorted(by: Row.precedes).prefix(32)), "seed \(seed)")
    withExtendedLifetime(memory) {}
  }

  @Test("What becomes one of them later takes its place, or stays outside", arguments: UInt64(1)...20)
  func late(seed: UInt64) {
    let memory = Memory()
    var arena = memory.arena
    var queue = VictimQueue(in: &arena)
    var dice = SeededGenerator(seed: seed)
    queue.restart(unknownDevices: true)
    var waiting = (0..<32).map { Row(row: $0, lastSeen: 100 + Int64(dice.number(below: 40))) }
    for row in waiting { queue.offer(row: row.row, lastSeen: .milliseconds(row.lastSeen)) }
    waiting.sort(by: Row.precedes)
    for row in 32..<60 {
      if dice.chance(perMille: 500) {
        let next = queue.next()
        #expect(next.map { Int($0.row) } == waiting.first?.row, "seed \(seed)")
        if !waiting.isEmpty { waiting.removeFirst() }
      }
      let late = Row(row: row, lastSeen: 90 + Int64(dice.number(below: 60)))
      queue.offerLate(row: late.row, lastSeen: .milliseconds(late.lastSeen))
      guard let last = waiting.last, Row.precedes(late, last) else { continue }
      waiting.append(late)
      waiting.sort(by: Row.precedes)
    }
    // It may have dropped its last ones for want of room; they are outside now, later than all inside.
    let rest = drain(&queue)
    #expect(rest == Array(waiting.prefix(rest.count)), "seed \(seed)")
    withExtendedLifetime(memory) {}
  }

  @Test("An empty queue takes nothing late: the next look over the table will find it")
  func emptyQueue() {
    let memory = Memory()
    var arena = memory.arena
    var queue = VictimQueue(in: &arena)
    queue.offerLate(row: 1, lastSeen: .milliseconds(0))
    #expect(queue.next() == nil)
    withExtendedLifetime(memory) {}
  }
}
