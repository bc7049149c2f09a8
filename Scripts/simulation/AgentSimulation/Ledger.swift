// SPDX-License-Identifier: GPL-3.0-or-later

/// Every event that anybody was told, by its number: all watchers must be told the same.
struct Ledger {
  private var messages: [UInt64: [UInt8]] = [:]

  /// Whether nobody was told something else.
  mutating func agrees(_ entry: WatchBook.Entry) -> Bool {
    guard let known = messages[entry.event.sequence] else {
      messages[entry.event.sequence] = entry.message
      return true
    }
    return known == entry.message
  }
}
