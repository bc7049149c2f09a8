// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The devices that wait for a time, soonest first; ties in row order, so that a replay fires them alike.
///
/// Capacity: one entry for every row of the device table, so it is never full. A row's time may be early: whoever
/// takes it out looks again and puts it back.
struct DeadlineHeap: ~Copyable {
  private struct Entry: BitwiseCopyable {
    var time: Instant
    var row: Int32
  }

  private let entries: FixedTable<Entry>
  /// Where each row stands in `entries`, or -1.
  private let places: FixedTable<Int32>
  private var count = 0
  /// The time of the first entry, or a time that never comes: every packet asks for it.
  private(set) var soonest = Instant(microseconds: .max)

  init(rows: Int, in arena: inout Arena) {
    entries = arena.table(of: Entry(time: Instant(microseconds: 0), row: 0), count: rows)
    places = arena.table(of: -1, count: rows)
  }

  /// The soonest time and its row.
  var first: (time: Instant, row: Int)? {
    count == 0 ? nil : (entries[0].time, Int(entries[0].row))
  }

  /// Makes `row` due at `time` if it is not due sooner already.
  mutating func bring(_ row: Int, forwardTo time: Instant) {
    let place = Int(places[row])
    if place < 0 {
      entries[count] = Entry(time: time, row: Int32(row))
      places[row] = Int32(count)
      count += 1
      rise(count - 1)
    } else if time < entries[place].time {
      entries[place].time = time
      rise(place)
    }
  }

  /// Whether `row` is due, but not until after `time`.
  @inline(__always)
  func isDue(_ row: Int, after time: Instant) -> Bool {
    let place = Int(places[row])
    return place >= 0 && entries[place].time > time
  }

  /// Puts off the first row to `time`, which must not be sooner.
  mutating func postponeFirst(to time: Instant) {
    precondition(count > 0 && entries[0].time <= time)
    entries[0].time = time
    sink(0)
  }

  /// Takes `row` out if it is in.
  mutating func remove(_ row: Int) {
    let place = Int(places[row])
    guard place >= 0 else { return }
    count -= 1
    places[row] = -1
    if count == 0 { soonest = Instant(microseconds: .max) }
    guard place < count else { return }
    put(entries[count], at: place)
    rise(place)
    sink(Int(places[Int(entries[place].row)]))
  }

  private mutating func put(_ entry: Entry, at place: Int) {
    entries[place] = entry
    places[Int(entry.row)] = Int32(place)
    if place == 0 { soonest = entry.time }
  }

  private func precedes(_ left: Entry, _ right: Entry) -> Bool {
    left.time < right.time || (left.time == right.time && left.row < right.row)
  }

  private mutating func rise(_ start: Int) {
    var place = start
    let entry = entries[place]
    while place > 0 {
      let parent = (place - 1) / 2
      guard precedes(entry, entries[parent]) else { break }
      put(entries[parent], at: place)
      place = parent
    }
    put(entry, at: place)
  }

  private mutating func sink(_ start: Int) {
    var place = start
    let entry = entries[place]
    while 2 * place + 1 < count {
      var child = 2 * place + 1
      if child + 1 < count, precedes(entries[child + 1], entries[child]) { child += 1 }
      guard precedes(entries[child], entry) else { break }
      put(entries[child], at: place)
      place = child
    }
    put(entry, at: place)
  }

  /// Checks the heap's order and its back references; for tests.
  func checkInvariants() {
    precondition(soonest == first?.time ?? Instant(microseconds: .max), "the soonest time is another")
    for place in 0..<count {
      precondition(places[Int(entries[place].row)] == Int32(place), "a row does not know its place")
      let parent = (place - 1) / 2
      precondition(place == 0 || !precedes(entries[place], entries[parent]), "a child precedes its parent")
    }
  }
}
