// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The next rows to give way, least recently heard first.
///
/// Capacity: 32. It is filled by one pass over the whole table and stays exact until it is empty: a row that was
/// heard since is skipped, and every row outside was heard later than those inside. So a flood of new addresses
/// costs one pass per 32 rows, and an advertiser that is heard again costs nothing.
struct VictimQueue: ~Copyable {
  struct Candidate: BitwiseCopyable {
    var row: Int32
    var lastSeen: Instant

    func precedes(_ other: Self) -> Bool {
      lastSeen < other.lastSeen || (lastSeen == other.lastSeen && row < other.row)
    }
  }

  static var capacity: Int { 32 }
  let candidates: FixedTable<Candidate>
  var count = 0
  var head = 0
  /// Whether the candidates were unknown devices when they were chosen.
  var holdsUnknownDevices = true

  init(in arena: inout Arena) {
    candidates = arena.table(of: Candidate(row: 0, lastSeen: Instant(microseconds: 0)), count: Self.capacity)
  }

  mutating func restart(unknownDevices: Bool) {
    holdsUnknownDevices = unknownDevices
    count = 0
    head = 0
  }

  /// Keeps a row if it is among the 32 least recently heard so far. Rows are offered in ascending order, so that
  /// ties go to the lower one.
  mutating func offer(row: Int, lastSeen: Instant) {
    if count == Self.capacity {
      guard lastSeen < candidates[count - 1].lastSeen else { return }
      count -= 1
    }
    var slot = count
    while slot > 0, lastSeen < candidates[slot - 1].lastSeen {
      candidates[slot] = candidates[slot - 1]
      slot -= 1
    }
    candidates[slot] = Candidate(row: Int32(row), lastSeen: lastSeen)
    count += 1
  }

  /// Keeps a row that became one of the kind after the pass over the table, if it was heard before the last of those
  /// that wait; otherwise it belongs to those outside.
  mutating func offerLate(row: Int, lastSeen: Instant) {
    let late = Candidate(row: Int32(row), lastSeen: lastSeen)
    guard head < count, late.precedes(candidates[count - 1]) else { return }
    if count == Self.capacity { count -= 1 }
    var slot = count
    while slot > head, late.precedes(candidates[slot - 1]) {
      candidates[slot] = candidates[slot - 1]
      slot -= 1
    }
    candidates[slot] = late
    count += 1
  }

  mutating func next() -> Candidate? {
    guard head < count else { return nil }
    defer { head += 1 }
    return candidates[head]
  }
}
