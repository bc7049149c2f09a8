// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// The part of a report's path that judges by levels.

extension Pipeline {
  /// Lets the gates of a row's matches judge a new sample.
  @inline(never)
  mutating func judgeMatches(of row: Int) {
    guard devices.rows[row].newestSet >= 0 else { return }
    var isImmediate = false
    for slot in 0..<devices.matchCount(row) {
      let item = Int(matches.match(slot, of: row).item)
      guard matches.gates[item].isImmediate else { continue }
      isImmediate = true
      judge(slot, of: row, item: item)
    }
    let isEarly = advanceDeadline(of: row)
    devices.rows[row].isDeadlineEarly = isEarly && !isImmediate
  }

  /// Lets an item's gate judge a device, and reports the device when it has entered.
  mutating func judge(_ slot: Int, of row: Int, item: Int) {
    devices.rows[row].signal.settle()
    let claimed = devices.rows[row].claimedTxPower
    let verdict = Gate.judge(
      &matches.table[matches.index(slot, of: row)], devices.rows[row].signal, matches.gates[item],
      claimedTxPower: claimed == ReportHeader.noTxPower ? nil : claimed, at: clock)
    switch verdict {
    case .nothing: return
    case .entered:
      sets.dropKnownFrames(of: devices.rows[row])
      emit(.found, .entered, slot, of: row)
    case .startedLeaving: break
    }
    deadlines.schedule(row, noLaterThan: deadline(ofMatch: slot, of: row))
  }
}
