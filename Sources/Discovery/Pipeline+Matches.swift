// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// Which matches of a row begin and end. A row has up to eight, in manifest order, each borne by the advertising sets
// that match. A payload that does not match ends nothing: the match's deadline does.

extension Pipeline {
  /// Brings the row's matches in line with what its set matches now.
  mutating func updateMatches(of row: Int, set: Int) {
    let sets = sets.table
    if sets[set].evaluation.items.total == 0, devices.matchCount(row) == 0 {
      devices.rows[row].unkeptMatches = 0
      return
    }
    let beyond = sets[set].evaluation.items.total - sets[set].evaluation.items.count
    defer {
      devices.rows[row].unkeptMatches = UInt16(clamping: beyond)
      counters.matchesBeyondCapacity &+= UInt64(beyond)
    }
    for slot in (0..<devices.matchCount(row)).reversed()
    where !sets[set].evaluation.items.contains(matches.table[matches.index(slot, of: row)].item) {
      // An item that matches as well, but after eight others, has no slot any more.
      if beyond > 0, matcher.hasMet(matches.match(slot, of: row).item) {
        drop(match: slot, of: row, reason: .evicted)
      } else {
        withdraw(set, fromMatch: slot, of: row)
      }
    }
    for position in 0..<sets[set].evaluation.items.count {
      addMatch(of: sets[set].evaluation.items[position], to: row, set: set)
    }
  }

  /// Takes a set away from all matches of its row.
  mutating func withdraw(_ set: Int, of row: Int) {
    for slot in 0..<devices.matchCount(row) { withdraw(set, fromMatch: slot, of: row) }
  }

  /// Takes a set away from a match, which goes on.
  private mutating func withdraw(_ set: Int, fromMatch slot: Int, of row: Int) {
    let index = matches.index(slot, of: row)
    let bit = sets.table[set].bit
    guard matches.table[index].sets & bit != 0 else { return }
    matches.table[index].sets &= ~bit
    matches.table[index].replaced = max(matches.table[index].replaced, sets.table[set].lastSeen)
  }

  /// Lets a set bear the match of an item, which is new if need be.
  mutating func addMatch(of item: Int32, to row: Int, set: Int) {
    let count = devices.matchCount(row)
    let slot = matches.position(ofItem: item, row: row, count: devices.rows[row].matchCount)
    if slot < count, matches.match(slot, of: row).item == item {
      matches.table[matches.index(slot, of: row)].sets |= sets.table[set].bit
      return
    }
    if count == MatchedItems.capacity {
      counters.matchesBeyondCapacity &+= 1
      guard slot < count else { return }
    }
    guard devices.rows[row].isAccessory || claimQuota(ofItem: Int(item), for: row) else {
      counters.matchesTurnedAway &+= 1
      sets.table[set].isEvaluated = false
      sets.table[set].awaitsPlace =
        sets.table[set].evaluation.items.total == sets.table[set].evaluation.items.count
      return
    }
    // The last match gives way to one before it.
    if count == MatchedItems.capacity { drop(match: count - 1, of: row, reason: .evicted) }
    beginMatch(of: item, at: slot, of: row, set: set)
  }

  private mutating func beginMatch(of item: Int32, at slot: Int, of row: Int, set: Int) {
    if devices.isUnknown(row) { devices.becomeKnown() }
    planChoice()
    devices.rows[row].learnPauses(since: heardWholeSince(row))
    var match = Match()
    match.item = item
    match.sets = sets.table[set].bit
    match.setPresence(matches.gates[Int(item)].isImmediate ? .outside : .inside, at: clock)
    matches.insert(match, at: slot, of: row, &devices.rows[row])
    sets.dropKnownFrames(of: devices.rows[row])
    devices.rows[row].signal.settle()
    if match.isFound { emit(.found, .matched, slot, of: row) }
    deadlines.schedule(row, noLaterThan: deadline(ofMatch: slot, of: row))
  }

  /// Ends a match; if it was found, it is lost. The slot of a full row may be wanted by an item that found none: its
  /// sets are matched again.
  mutating func drop(match slot: Int, of row: Int, reason: SightingReason) {
    lose(slot, of: row, reason: reason)
    if devices.matchCount(row) == MatchedItems.capacity { sets.markUnevaluated(.max, of: devices.rows[row]) }
    matches.remove(slot, of: row, &devices.rows[row])
    devices.rows[row].wasLostInSilence = reason == .silence
    sets.dropKnownFrames(of: devices.rows[row])
    if devices.isUnknown(row) { devices.becomeUnknown(row) }
  }

  /// Moves a match out of the gate; if it was found, it is lost.
  mutating func lose(_ slot: Int, of row: Int, reason: SightingReason) {
    let index = matches.index(slot, of: row)
    if matches.table[index].isFound {
      let skipped = forgetFrames(index)
      emit(.lost, reason, slot, of: row, skipped: skipped)
    }
    matches.table[index].setPresence(.outside, at: clock)
    if devices.rows[row].streams != 0 { followWants(row) }
  }
}
