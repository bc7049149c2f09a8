// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

// A time in which a recording's radio did not scan.

extension Pipeline {
  /// Skips the time since the last input, in which the agent did not listen: no silence, dwell or learned interval counts
  /// it. So a pause causes no event, however long it was.
  ///
  /// The caller lets no time pass for the pipeline during the pause, and calls this with the time of its end.
  public mutating func skipPause(until end: Instant) {
    guard clock.microseconds != .min, end > clock else { return }
    let pause = end.microseconds - clock.microseconds
    for row in 0..<devices.rows.count where devices.rows[row].isLive {
      devices.rows[row].lastSeen = devices.rows[row].lastSeen.later(by: pause)
      devices.rows[row].signal.skip(microseconds: pause)
      var set = Int(devices.rows[row].newestSet)
      while set >= 0 {
        sets.table[set].lastSeen = sets.table[set].lastSeen.later(by: pause)
        set = Int(sets.table[set].next)
      }
      for slot in 0..<devices.matchCount(row) {
        matches.table[matches.index(slot, of: row)].skip(microseconds: pause)
        let entry = Int(matches.match(slot, of: row).frames)
        if entry >= 0 { frames.matches[entry].skip(microseconds: pause) }
      }
    }
    // It keeps the times of the rows.
    devices.victims.restart(unknownDevices: devices.victims.holdsUnknownDevices)
    clock = end
  }
}

extension Match {
  /// Moves every time of the match on.
  fileprivate mutating func skip(microseconds: Int64) {
    replaced = replaced.later(by: microseconds)
    moveStart(by: microseconds)
  }
}

extension Instant {
  fileprivate func later(by microseconds: Int64) -> Instant {
    Instant(microseconds: self.microseconds &+ microseconds)
  }
}
