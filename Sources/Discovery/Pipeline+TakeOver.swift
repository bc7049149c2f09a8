// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// The second half of a reload: a new pipeline goes on where the old one ended.

extension Pipeline {
  /// Takes everything over from a pipeline that yielded to this one, which is new: devices, payloads, signals, matches
  /// of items that live on, events and counters. Then what is known of every device is matched against the items that
  /// are new to it.
  ///
  /// `successors` gives each old item's index, or -1 when it has none; `names` what the events that are still there
  /// call it from now on. Rows, sets and slots keep their places when there are as many, so that ties go on being
  /// decided alike. Levels follow a change of the adapter offset, as though it had always been.
  public mutating func takeOver(
    _ old: borrowing Pipeline, successors: Span<Int32>, names: Span<Int32>
  ) {
    clock = old.clock
    tally = old.tally
    assembler.takeOver(old.assembler)
    events.takeOver(old.events, names: names)
    accessoryCount = old.accessoryCount
    for place in 0..<accessoryCount { accessories[place] = old.accessories[place] }
    takeOverRows(of: old)
    takeOverIdentities(of: old)
    let areAddressesOthers = takeOverMatches(of: old, successors)
    for item in 0..<itemMatches.count { keepSmallerQuota(of: item) }
    if areAddressesOthers || !areAlike(successors) {
      lookAgain()
    } else if devices.count >= old.devices.count {
      victims.takeOver(old.victims)
    }
    advance(to: clock)
  }

  /// Whether the items are those of before, in the same order.
  private func areAlike(_ successors: Span<Int32>) -> Bool {
    guard successors.count == gates.count else { return false }
    for item in 0..<successors.count where successors[item] != Int32(item) { return false }
    return true
  }

  // MARK: Rows

  private mutating func takeOverRows(of old: borrowing Pipeline) {
    let keepsPlaces = devices.count >= old.devices.count
    let offset = Int(adapterOffset) - Int(old.adapterOffset)
    for oldRow in 0..<old.devices.count where old.devices[oldRow].isLive {
      let row = keepsPlaces ? oldRow : takeFreeRow()
      devices[row] = old.devices[oldRow]
      devices[row].identity = -1
      devices[row].matchCount = 0
      if offset != 0 { devices[row].signal.shift(by: offset) }
      index.insert(devices[row].address, row: row)
      takeOverSets(of: oldRow, in: old, to: row, keepsPlaces: keepsPlaces)
    }
    if keepsPlaces { takeOverFreePlaces(of: old) }
  }

  private mutating func takeFreeRow() -> Int {
    freeRowCount -= 1
    return Int(freeRows[freeRowCount])
  }

  private mutating func takeFreeSet() -> Int {
    let set = Int(freeSet)
    freeSet = sets[set].next
    return set
  }

  private mutating func takeOverSets(
    of oldRow: Int, in old: borrowing Pipeline, to row: Int, keepsPlaces: Bool
  ) {
    var previous = -1
    var oldSet = Int(old.devices[oldRow].newestSet)
    while oldSet >= 0 {
      let set = keepsPlaces ? oldSet : takeFreeSet()
      var copy = old.sets[oldSet]
      copy.data = payloads.takeOver(copy.data, .data, of: set, from: old.payloads, oldSet: oldSet)
      copy.response = payloads.takeOver(
        copy.response, .response, of: set, from: old.payloads, oldSet: oldSet)
      copy.row = Int32(row)
      copy.next = -1
      sets[set] = copy
      if previous < 0 { devices[row].newestSet = Int32(set) } else { sets[previous].next = Int32(set) }
      previous = set
      oldSet = Int(old.sets[oldSet].next)
    }
  }

  /// Free rows and sets are taken in the order they would have been; those that are new come last.
  private mutating func takeOverFreePlaces(of old: borrowing Pipeline) {
    let addedRows = devices.count - old.devices.count
    for place in 0..<addedRows { freeRows[place] = Int32(devices.count - 1 - place) }
    for place in 0..<old.freeRowCount { freeRows[addedRows + place] = old.freeRows[place] }
    freeRowCount = addedRows + old.freeRowCount
    let added = sets.count > old.sets.count ? Int32(old.sets.count) : -1
    freeSet = old.freeSet < 0 ? added : old.freeSet
    var set = Int(old.freeSet)
    while set >= 0 {
      let next = old.sets[set].next
      sets[set].next = next < 0 ? added : next
      set = Int(next)
    }
  }

  // MARK: Identities and matches

  /// Yielding named the old rows that have an identity now; those that gave way since have none.
  private mutating func takeOverIdentities(of old: borrowing Pipeline) {
    for identity in 0..<identityCount where identityRows[identity] >= 0 {
      let oldRow = Int(identityRows[identity])
      let row = old.devices[oldRow].isLive ? index.row(of: old.devices[oldRow].address) : -1
      identityRows[identity] = Int32(row)
      if row >= 0 { devices[row].identity = Int16(identity) }
    }
  }

  /// Takes over the matches that live on. Returns whether any device has another public address than before; such a
  /// device begins anew.
  private mutating func takeOverMatches(of old: borrowing Pipeline, _ successors: Span<Int32>) -> Bool {
    var areAddressesOthers = false
    for oldRow in 0..<old.devices.count where old.devices[oldRow].isLive {
      let row = index.row(of: old.devices[oldRow].address)
      if publicAddress(of: devices[row]) == old.publicAddress(of: old.devices[oldRow]) {
        takeOverMatches(of: oldRow, in: old, to: row, successors)
      } else {
        devices[row].isAccessory = belongsToAccessory(devices[row])
        areAddressesOthers = true
      }
      if isStranger(row) { strangerCount += 1 }
      if let due = deadline(of: row) { deadlines.bring(row, forwardTo: due) }
    }
    return areAddressesOthers
  }

  private mutating func takeOverMatches(
    of oldRow: Int, in old: borrowing Pipeline, to row: Int, _ successors: Span<Int32>
  ) {
    for oldPlace in 0..<Int(old.devices[oldRow].matchCount) {
      var match = old.match(oldPlace, of: oldRow)
      match.item = successors[Int(match.item)]
      guard match.item >= 0 else { continue }
      var place = Int(devices[row].matchCount)
      while place > 0, self.match(place - 1, of: row).item > match.item {
        matches[matchIndex(place, of: row)] = self.match(place - 1, of: row)
        place -= 1
      }
      matches[matchIndex(place, of: row)] = match
      devices[row].matchCount += 1
      if !devices[row].isAccessory { itemMatches[Int(match.item)] += 1 }
    }
  }

  private mutating func keepSmallerQuota(of item: Int) {
    while itemMatches[item] > capacities.matchesPerItem { keepQuota(of: item) }
  }

  // MARK: New items

  /// Matches every payload that is known and in force. One that waits for its device to be heard again (after a
  /// silence, a loss of the radio, or a full quota) goes on waiting.
  private mutating func lookAgain() {
    for row in 0..<devices.count where devices[row].isLive {
      var set = Int(devices[row].newestSet)
      while set >= 0 {
        if sets[set].isEvaluated { lookAgain(at: set, of: row) }
        set = Int(sets[set].next)
      }
      // A set heard earlier that came to bear a match may be the first to fall silent.
      if let due = deadline(of: row) { deadlines.bring(row, forwardTo: due) }
    }
  }

  private mutating func lookAgain(at set: Int, of row: Int) {
    look(at: set)
    let items = sets[set].evaluation.items
    for position in 0..<items.count { take(items[position], of: row, set: set) }
    let beyond = items.total - items.count
    if Int(devices[row].newestSet) == set { devices[row].unkeptMatches = UInt16(clamping: beyond) }
    tally.matchesBeyondCapacity &+= UInt64(beyond)
  }

  /// Adds an item without a report, if the payload was heard recently enough to bear it and the quota has room; else
  /// the next report decides. Nobody gives way for it: the devices of a room would take one another's places.
  private mutating func take(_ item: Int32, of row: Int, set: Int) {
    let isNew = !has(item: Int(item), row: row)
    let hasRoom =
      !isNew || devices[row].isAccessory || itemMatches[Int(item)] < capacities.matchesPerItem
    let patience = lostPatience(of: row, gates[Int(item)])
    guard hasRoom, sets[set].lastSeen.advanced(milliseconds: patience) > clock else {
      if !hasRoom { tally.matchesTurnedAway &+= 1 }
      sets[set].isEvaluated = false
      return
    }
    add(item: item, to: row, set: set)
    if isNew, gates[Int(item)].isImmediate { judgeByKeptLevel(item, of: row) }
  }

  /// A level from before a silence says nothing: the next report starts the filter anew.
  private mutating func judgeByKeptLevel(_ item: Int32, of row: Int) {
    guard devices[row].signal.readingCount > 0,
      Gate.silenceEnd(devices[row].signal, GateSettings()) > clock
    else { return }
    for place in 0..<Int(devices[row].matchCount) where match(place, of: row).item == item {
      judge(place, of: row, item: Int(item))
    }
  }
}
