// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The devices that wait for a time, soonest first; ties in row order, so that a replay fires them alike.
///
/// Capacity: one entry for every row of the device table, so it is never full. A row's time may be early:
/// the pipeline then puts it off.
struct DeadlineHeap: ~Copyable {
  private struct Entry: BitwiseCopyable {
    var time: Instant
    var row: Int32
  }

  private let entries: FixedTable<Entry>
  /// Where each row stands in `entries`, or -1.
  private let positions: FixedTable<Int32>
  private var count = 0
  /// The time of the first entry, or a time that never comes: every packet asks for it.
  private(set) var soonest = Instant(microseconds: .max)

  init(rows: Int, in arena: inout Arena) {
    entries = arena.table(of: Entry(time: Instant(microseconds: 0), row: 0), count: rows)
    positions = arena.table(of: -1, count: rows)
  }

  /// The soonest time and its row.
  var first: (time: Instant, row: Int)? {
    count == 0 ? nil : (entries[0].time, Int(entries[0].row))
  }

  /// Makes `row` due at `time` if it is not due sooner already.
  mutating func schedule(_ row: Int, noLaterThan time: Instant) {
    let position = Int(positions[row])
    if position < 0 {
      entries[count] = Entry(time: time, row: Int32(row))
      positions[row] = Int32(count)
      count += 1
      rise(count - 1)
    } else if time < entries[position].time {
      entries[position].time = time
      rise(position)
    }
  }

  /// Whether `row` is due, but not until after `time`.
  @inline(__always)
  func isDue(_ row: Int, after time: Instant) -> Bool {
    let position = Int(positions[row])
    return position >= 0 && entries[position].time > time
  }

  /// Puts off the first row to `time`, which must not be sooner.
  mutating func postponeFirst(to time: Instant) {
    precondition(count > 0 && entries[0].time <= time)
    entries[0].time = time
    sink(0)
  }

  /// Takes `row` out if it is in.
  mutating func remove(_ row: Int) {
    let position = Int(positions[row])
    guard position >= 0 else { return }
    count -= 1
    positions[row] = -1
    if count == 0 { soonest = Instant(microseconds: .max) }
    guard position < count else { return }
    put(entries[count], at: position)
    rise(position)
    sink(Int(positions[Int(entries[position].row)]))
  }

  private mutating func put(_ entry: Entry, at position: Int) {
    entries[position] = entry
    positions[Int(entry.row)] = Int32(position)
    if position == 0 { soonest = entry.time }
  }

  private func precedes(_ left: Entry, _ right: Entry) -> Bool {
    left.time < right.time || (left.time == right.time && left.row < right.row)
  }

  private mutating func rise(_ start: Int) {
    var position = start
    let entry = entries[position]
    while position > 0 {
      let parent = (position - 1) / 2
      guard precedes(entry, entries[parent]) else { break }
      put(entries[parent], at: position)
      position = parent
    }
    put(entry, at: position)
  }

  private mutating func sink(_ start: Int) {
    var position = start
    let entry = entries[position]
    while 2 * position + 1 < count {
      var child = 2 * position + 1
      if child + 1 < count, precedes(entries[child + 1], entries[child]) { child += 1 }
      guard precedes(entries[child], entry) else { break }
      put(entries[child], at: position)
      position = child
    }
    put(entry, at: position)
  }

  /// Checks the heap's order and its back references; for tests.
  func checkInvariants() {
    precondition(soonest == first?.time ?? Instant(microseconds: .max), "the soonest time is wrong")
    for position in 0..<count {
      precondition(
        positions[Int(entries[position].row)] == Int32(position), "a row does not know its position")
      let parent = (position - 1) / 2
      precondition(
        position == 0 || !precedes(entries[position], entries[parent]), "a child precedes its parent")
    }
  }
}
