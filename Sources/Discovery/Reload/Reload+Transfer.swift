// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// The second half of a reload: a new pipeline continues where the old one ended.

extension Reload {
  /// Copies everything to the new pipeline: devices, payloads, signals, matches of kept items, events and counters.
  /// Then matches the stored payloads of every device against the items that are new to it.
  ///
  /// `names` gives what the events that are still there call each old item from now on. Rows, sets and slots keep their
  /// numbers when there are as many, so that ties go on being decided alike. Levels follow a change of the adapter
  /// offset, as though it had always been.
  public func transfer(from old: borrowing Pipeline, to new: inout Pipeline, names: Span<Int32>) {
    new.clock = old.clock
    new.counters = old.counters
    new.assembler.copy(old.assembler)
    new.frames.copy(old.frames)
    new.listeningSince = old.listeningSince
    new.events.copy(old.events, names: names)
    new.reports = old.reports
    new.readings = EventRing(continuing: old.readings)
    new.devices.accessories.copy(old.devices.accessories)
    Self.transferRows(from: old, to: &new)
    Self.transferIdentities(from: old, to: &new)
    let haveAddressesChanged = transferMatches(from: old, to: &new)
    for item in 0..<new.matches.quotas.count {
      while new.matches.isOverQuota(item) { new.keepQuota(ofItem: item) }
    }
    if haveAddressesChanged || !areItemsUnchanged(in: new) {
      new.rematchPayloads()
    } else if new.devices.rows.count >= old.devices.rows.count {
      new.devices.victims.copy(old.devices.victims)
    }
    new.planChoice()
    new.advance(to: new.clock)
  }

  /// Whether the items are those of before, in the same order.
  private func areItemsUnchanged(in new: borrowing Pipeline) -> Bool {
    guard successors.count == new.matches.gates.count else { return false }
    for item in 0..<successors.count where successors[item] != Int32(item) { return false }
    return true
  }

  // MARK: Rows and sets

  private static func transferRows(from old: borrowing Pipeline, to new: inout Pipeline) {
    let keepsNumbers = new.devices.rows.count >= old.devices.rows.count
    let offset = Int(new.adapterOffset) - Int(old.adapterOffset)
    let rows = new.devices.rows
    for oldRow in 0..<old.devices.rows.count where old.devices.rows[oldRow].isLive {
      let row = keepsNumbers ? oldRow : new.devices.claimFreeRow()
      rows[row] = old.devices.rows[oldRow]
      rows[row].identity = -1
      if rows[row].matchCount > 0 { rows[row].signal.settle() }
      rows[row].matchCount = 0
      if offset != 0 {
        rows[row].signal.shift(by: offset)
        rows[row].levels.shift(by: offset)
      }
      new.devices.index.insert(rows[row].address, row: row)
      new.sets.copyChain(ofRow: oldRow, from: old, to: row, of: &rows[row], keepsNumbers: keepsNumbers)
    }
    guard keepsNumbers else { return }
    new.devices.copyFreeRows(old.devices)
    new.sets.copyFreeSets(old.sets)
  }

  /// The first half named the old rows that have an identity now; those that gave way since have none.
  private static func transferIdentities(from old: borrowing Pipeline, to new: inout Pipeline) {
    let identityRows = new.devices.identities.rows
    for identity in 0..<new.devices.identities.count where identityRows[identity] >= 0 {
      let device = old.devices.rows[Int(identityRows[identity])]
      let row = device.isLive ? new.devices.row(of: device.address) : -1
      identityRows[identity] = Int32(row)
      if row >= 0 { new.devices.rows[row].identity = Int16(identity) }
    }
  }

  // MARK: Matches

  /// Copies the matches that are kept. Returns whether any device has another public address than before; such a
  /// device starts again.
  private func transferMatches(from old: borrowing Pipeline, to new: inout Pipeline) -> Bool {
    var haveAddressesChanged = false
    for item in 0..<successors.count where successors[item] >= 0 {
      new.matches.quotas[Int(successors[item])] = old.matches.quotas[item].withoutCount
    }
    for oldRow in 0..<old.devices.rows.count where old.devices.rows[oldRow].isLive {
      let row = new.devices.row(of: old.devices.rows[oldRow].address)
      let address = new.devices.publicAddress(of: new.devices.rows[row])
      if address.settled == old.devices.publicAddress(of: old.devices.rows[oldRow]).settled {
        transferMatches(ofRow: oldRow, from: old, to: row, in: &new)
      } else {
        new.devices.setAccessory(&new.devices.rows[row])
        haveAddressesChanged = true
      }
      if new.devices.isUnknown(row) { new.devices.unknownCount += 1 }
      if let due = new.deadline(of: row) { new.deadlines.schedule(row, noLaterThan: due) }
    }
    return haveAddressesChanged
  }

  private func transferMatches(
    ofRow oldRow: Int, from old: borrowing Pipeline, to row: Int, in new: inout Pipeline
  ) {
    let rows = new.devices.rows
    for oldSlot in 0..<Int(old.devices.rows[oldRow].matchCount) {
      var match = old.matches.match(oldSlot, of: oldRow)
      match.item = successors[Int(match.item)]
      guard match.item >= 0 else { continue }
      let slot = new.matches.position(ofItem: match.item, row: row, count: rows[row].matchCount)
      new.matches.insert(match, at: slot, of: row, &rows[row])
      guard match.frames >= 0 else { continue }
      new.frames.matches[Int(match.frames)].row = Int32(row)
      new.frames.matches[Int(match.frames)].item = match.item
    }
  }
}

// Matching of stored payloads against new items.

extension Pipeline {
  /// Matches every payload that is known and in force. One that waits for its device to be heard again (after a
  /// silence, a loss of the radio, or a full quota) keeps waiting.
  fileprivate mutating func rematchPayloads() {
    for row in 0..<devices.rows.count where devices.rows[row].isLive {
      var set = Int(devices.rows[row].newestSet)
      while set >= 0 {
        if sets.table[set].isEvaluated { rematchPayload(of: set, row: row) } else { renumberItems(of: set) }
        set = Int(sets.table[set].next)
      }
      // A set heard earlier that came to bear a match may be the first to fall silent.
      if let due = deadline(of: row) { deadlines.schedule(row, noLaterThan: due) }
    }
  }

  /// What a payload that waits would match is kept, as items of the new manifest.
  private mutating func renumberItems(of set: Int) {
    evaluate(set)
    sets.table[set].isEvaluated = false
  }

  private mutating func rematchPayload(of set: Int, row: Int) {
    evaluate(set)
    let items = sets.table[set].evaluation.items
    for position in 0..<items.count { rematch(items[position], of: row, set: set) }
    let beyond = items.total - items.count
    if Int(devices.rows[row].newestSet) == set { devices.rows[row].unkeptMatches = UInt16(clamping: beyond) }
    counters.matchesBeyondCapacity &+= UInt64(beyond)
  }

  /// Adds an item without a report, if the payload was heard recently enough to bear it and the quota has room; else
  /// the next report decides. No device gives way for it: otherwise devices would take each other's slots.
  private mutating func rematch(_ item: Int32, of row: Int, set: Int) {
    let device = devices.rows[row]
    let isNew = matches.slot(ofItem: Int(item), row: row, count: device.matchCount) == nil
    let hasFreeSlot = !isNew || device.isAccessory || matches.hasFreeSlot(forItem: Int(item))
    let patience = silence(of: row, matches.gates[Int(item)])
    guard hasFreeSlot, sets.table[set].lastSeen.advanced(milliseconds: patience) > clock else {
      if !hasFreeSlot { counters.matchesTurnedAway &+= 1 }
      sets.table[set].isEvaluated = false
      return
    }
    addMatch(of: item, to: row, set: set)
    if isNew, matches.gates[Int(item)].isImmediate { judgeByKeptLevel(item, of: row) }
  }

  /// A level from before a silence means nothing: the next report restarts the filter.
  private mutating func judgeByKeptLevel(_ item: Int32, of row: Int) {
    let signal = devices.rows[row].signal
    guard signal.readingCount > 0, Gate.silenceEnd(signal, GateSettings()) > clock,
      let slot = matches.slot(ofItem: Int(item), row: row, count: devices.rows[row].matchCount)
    else { return }
    judge(slot, of: row, item: Int(item))
  }
}
