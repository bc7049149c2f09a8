// SPDX-License-Identifier: GPL-3.0-or-later

/// Every event that a watcher received, by its number: all watchers must receive the same.
struct EventLog {
  private var messages: [UInt64: [UInt8]] = [:]

  /// Whether no watcher received another event under this number.
  mutating func agrees(with entry: WatchBook.Entry) -> Bool {
    guard let known = messages[entry.event.sequence] else {
      messages[entry.event.sequence] = entry.message
      return true
    }
    return known == entry.message
  }
}
