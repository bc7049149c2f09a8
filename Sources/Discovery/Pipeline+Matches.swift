// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// Which items match a row: up to eight, in manifest order, each borne by the advertising sets that match.

extension Pipeline {
  @inline(__always)
  func matchIndex(_ place: Int, of row: Int) -> Int { row &* MatchedItems.capacity &+ place }

  func match(_ place: Int, of row: Int) -> Match { matches[matchIndex(place, of: row)] }

  /// Parses and matches the payload of a set.
  @inline(never)
  mutating func look(at set: Int) {
    let octets = payloads.bytes
    matcher.evaluate(
      octets.payload(sets[set].data, .data, of: set), octets.payload(sets[set].response, .response, of: set),
      into: &sets[set].evaluation)
    sets[set].isEvaluated = true
  }

  /// Brings the row's matches in line with what its set matches now.
  mutating func updateMatches(of row: Int, set: Int, isChanged: Bool) {
    let items = sets[set].evaluation.items
    withdraw(set, from: row, keeping: items)
    if isChanged { noteChange(of: row, set: set) }
    for position in 0..<items.count { add(item: items[position], to: row, set: set) }
    let beyond = items.total - items.count
    devices[row].unkeptMatches = UInt16(clamping: beyond)
    tally.matchesBeyondCapacity &+= UInt64(beyond)
  }

  private mutating func withdraw(_ set: Int, from row: Int, keeping items: MatchedItems) {
    for place in (0..<Int(devices[row].matchCount)).reversed() {
      let item = match(place, of: row).item
      if items.contains(item) { continue }
      // One that matches as well, behind eight others, has no place any more.
      withdraw(
        set, fromMatch: place, of: row, reason: matcher.hasMet(item) ? .evicted : .noLongerMatches)
    }
  }

  /// Takes a set away from a match, and the match away when no set is left.
  mutating func withdraw(_ set: Int, fromMatch place: Int, of row: Int, reason: SightingReason) {
    let index = matchIndex(place, of: row)
    guard matches[index].sets & sets[set].bit != 0 else { return }
    guard matches[index].sets == sets[set].bit else {
      matches[index].sets &= ~sets[set].bit
      return
    }
    drop(match: place, of: row, reason: reason)
  }

  /// Takes a set away from all matches of its row.
  mutating func forget(_ set: Int, of row: Int, reason: SightingReason) {
    for place in (0..<Int(devices[row].matchCount)).reversed() {
      withdraw(set, fromMatch: place, of: row, reason: reason)
    }
  }

  mutating func add(item: Int32, to row: Int, set: Int) {
    var place = 0
    let count = Int(devices[row].matchCount)
    while place < count, match(place, of: row).item < item { place += 1 }
    if place < count, match(place, of: row).item == item {
      matches[matchIndex(place, of: row)].sets |= sets[set].bit
      return
    }
    if count == MatchedItems.capacity {
      tally.matchesBeyondCapacity &+= 1
      guard place < count else { return }
    }
    guard devices[row].isAccessory || claimQuota(of: Int(item)) else {
      tally.matchesTurnedAway &+= 1
      sets[set].isEvaluated = false
      return
    }
    // The last match gives way to one before it.
    if count == MatchedItems.capacity { drop(match: count - 1, of: row, reason: .evicted) }
    insert(item: item, at: place, of: row, set: set)
  }

  private mutating func insert(item: Int32, at place: Int, of row: Int, set: Int) {
    if isStranger(row) { strangerCount -= 1 }
    for later in (place..<Int(devices[row].matchCount)).reversed() {
      matches[matchIndex(later + 1, of: row)] = match(later, of: row)
    }
    devices[row].matchCount += 1
    devices[row].signal.settle()
    if !devices[row].isAccessory { itemMatches[Int(item)] += 1 }
    var match = Match()
    match.item = item
    match.sets = sets[set].bit
    match.become(gates[Int(item)].isImmediate ? .outside : .inside, at: clock)
    matches[matchIndex(place, of: row)] = match
    if match.isFound { emit(.found, .matched, place, of: row) }
    deadlines.bring(row, forwardTo: deadline(ofMatch: place, of: row))
  }

  /// Ends a match; what was found is lost. The place of a full row may be wanted by an item that found none: its
  /// sets are matched anew.
  mutating func drop(match place: Int, of row: Int, reason: SightingReason) {
    lose(place, of: row, reason: reason)
    if Int(devices[row].matchCount) == MatchedItems.capacity { markUnevaluated(.max, of: row) }
    let item = Int(match(place, of: row).item)
    if !devices[row].isAccessory { itemMatches[item] -= 1 }
    let last = Int(devices[row].matchCount) - 1
    for later in place..<last { matches[matchIndex(later, of: row)] = match(later + 1, of: row) }
    devices[row].matchCount -= 1
    guard isStranger(row) else { return }
    strangerCount += 1
    if victims.holdsStrangers { victims.offerLate(row: row, lastSeen: devices[row].lastSeen) }
  }

  /// Moves a match out of the gate; what was found is lost.
  mutating func lose(_ place: Int, of row: Int, reason: SightingReason) {
    let index = matchIndex(place, of: row)
    if matches[index].isFound {
      if matches[index].changeIsPending { tally.changesCoalesced &+= 1 }
      emit(.lost, reason, place, of: row)
    }
    matches[index].become(.outside, at: clock)
  }

  /// Makes room in an item's quota: the least recently heard match gives way, those heard fewer than three times
  /// first. A match that is heard again and again gives way only after a second of silence, so that neither a flood
  /// of addresses nor a full room makes known devices flicker.
  private mutating func claimQuota(of item: Int) -> Bool {
    guard itemMatches[item] >= capacities.matchesPerItem else { return true }
    guard let row = quotaVictim(of: item),
      isNewcomer(row) || clock.milliseconds(since: devices[row].lastSeen) >= 1000
    else { return false }
    evict(item: item, from: row)
    return true
  }

  /// Brings an item back to its quota after an accessory has become a device like any other.
  mutating func keepQuota(of item: Int) {
    guard itemMatches[item] > capacities.matchesPerItem, let row = quotaVictim(of: item) else { return }
    evict(item: item, from: row)
  }

  private mutating func evict(item: Int, from row: Int) {
    for place in 0..<Int(devices[row].matchCount) where Int(match(place, of: row).item) == item {
      markUnevaluated(match(place, of: row).sets, of: row)
      drop(match: place, of: row, reason: .evicted)
      tally.matchesEvicted &+= 1
      return
    }
  }

  private func quotaVictim(of item: Int) -> Int? {
    var victim: Int?
    for row in 0..<devices.count where devices[row].isLive && !devices[row].isAccessory {
      guard has(item: item, row: row), let other = victim else {
        if has(item: item, row: row) { victim = row }
        continue
      }
      if precedes(row, other) { victim = row }
    }
    return victim
  }

  func has(item: Int, row: Int) -> Bool {
    for place in 0..<Int(devices[row].matchCount) where Int(matches[matchIndex(place, of: row)].item) == item
    {
      return true
    }
    return false
  }

  private func isNewcomer(_ row: Int) -> Bool { devices[row].reportCount < 3 }

  private func precedes(_ row: Int, _ other: Int) -> Bool {
    guard isNewcomer(row) == isNewcomer(other) else { return isNewcomer(row) }
    return devices[row].lastSeen < devices[other].lastSeen
  }

  /// Lets the next report of these sets be matched anew although its payload is known.
  mutating func markUnevaluated(_ bits: UInt32, of row: Int) {
    var set = Int(devices[row].newestSet)
    while set >= 0 {
      if sets[set].bit & bits != 0 { sets[set].isEvaluated = false }
      set = Int(sets[set].next)
    }
  }
}
