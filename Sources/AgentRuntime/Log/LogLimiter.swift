// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Limits lines that an untrusted party can cause to one per kind and minute.
///
/// Capacity: one entry per kind. Lines that are held back are counted; the next line of the kind has the count.
struct LogLimiter<Kind: Hashable & CaseIterable & Sendable>: Sendable {
  static var pauseMilliseconds: Int64 { 60_000 }

  private struct Entry: Sendable {
    var last: Instant
    var heldCount = 0
  }

  private var entries: [Kind: Entry] = [:]

  /// Returns how many lines of this kind were held back since the last; nil when this one is held back too.
  mutating func admit(_ kind: Kind, at now: Instant) -> Int? {
    guard let entry = entries[kind] else {
      entries[kind] = Entry(last: now)
      return 0
    }
    guard now.milliseconds(since: entry.last) >= Self.pauseMilliseconds else {
      entries[kind]?.heldCount += 1
      return nil
    }
    entries[kind] = Entry(last: now)
    return entry.heldCount
  }
}
