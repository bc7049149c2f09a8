// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The next rows to give way, least recently heard first.
///
/// Capacity: 32. It is filled by one look over the whole table and stays exact until it is empty: a row that was
/// heard since is skipped, and every row outside was heard later than those inside. So a flood of new addresses
/// costs one look per 32 rows, and an advertiser that is heard again costs nothing.
struct VictimQueue: ~Copyable {
  struct Candidate: BitwiseCopyable {
    var row: Int32
    var lastSeen: Instant

    func precedes(_ other: Self) -> Bool {
      lastSeen < other.lastSeen || (lastSeen == other.lastSeen && row < other.row)
    }
  }

  static var capacity: Int { 32 }
  private let candidates: FixedTable<Candidate>
  private var count = 0
  private var head = 0
  /// Whether the candidates were strangers when they were chosen.
  private(set) var holdsStrangers = true

  init(in arena: inout Arena) {
    candidates = arena.table(of: Candidate(row: 0, lastSeen: Instant(microseconds: 0)), count: Self.capacity)
  }

  /// Goes on with the candidates of another queue, for rows that keep their places and their kind.
  mutating func takeOver(_ old: borrowing VictimQueue) {
    for place in 0..<old.count { candidates[place] = old.candidates[place] }
    count = old.count
    head = old.head
    holdsStrangers = old.holdsStrangers
  }

  mutating func restart(strangers: Bool) {
    holdsStrangers = strangers
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
    var place = count
    while place > 0, lastSeen < candidates[place - 1].lastSeen {
      candidates[place] = candidates[place - 1]
      place -= 1
    }
    candidates[place] = Candidate(row: Int32(row), lastSeen: lastSeen)
    count += 1
  }

  /// Keeps a row that became one of the kind after the look over the table, if it was heard before the last of those
  /// that wait; otherwise it belongs to those outside.
  mutating func offerLate(row: Int, lastSeen: Instant) {
    let late = Candidate(row: Int32(row), lastSeen: lastSeen)
    guard head < count, late.precedes(candidates[count - 1]) else { return }
    if count == Self.capacity { count -= 1 }
    var place = count
    while place > head, late.precedes(candidates[place - 1]) {
      candidates[place] = candidates[place - 1]
      place -= 1
    }
    candidates[place] = late
    count += 1
  }

  mutating func next() -> Candidate? {
    guard head < count else { return nil }
    defer { head += 1 }
    return candidates[head]
  }
}
