// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

// Identity keys that come and go while the pipeline runs, with the bonds that they belong to.

extension Pipeline {
  /// How many identity keys there are.
  public var identityCount: Int { devices.identities.count }

  /// One of the identity keys, in no order that lasts.
  public func identity(at index: Int) -> IdentityKey {
    precondition(index >= 0 && index < devices.identities.count)
    return devices.identities.keys[index]
  }

  /// Adds an identity key that is not there. The device goes on in the row of the address that it had so far: its
  /// matches hold on, without events. Of several such rows the one heard last stays. Returns false when there is no
  /// room for another key.
  public mutating func addIdentity(_ key: IdentityKey, at time: Instant) -> Bool {
    advance(to: time)
    guard !devices.identities.isFull else { return false }
    let identity = devices.identities.add(key)
    devices.filterChanges &+= 1
    for row in 0..<devices.rows.count where devices.rows[row].isLive && devices.rows[row].identity < 0 {
      guard key.isKey(of: devices.rows[row].address) else { continue }
      assign(identity, toRow: row)
    }
    return true
  }

  /// Removes an identity key, if it is there. Its device goes on under the address that it has on the air, as a device
  /// that nothing identifies.
  public mutating func removeIdentity(_ key: IdentityKey, at time: Instant) {
    advance(to: time)
    guard let identity = devices.identities.index(of: key) else { return }
    let row = Int(devices.identities.rows[identity])
    if row >= 0 {
      devices.rows[row].identity = -1
      publicAddressHasChanged(ofRow: row)
    }
    devices.identities.remove(identity)
    guard identity < devices.identities.count else { return }
    let moved = Int(devices.identities.rows[identity])
    if moved >= 0 { devices.rows[moved].identity = Int16(identity) }
  }

  private mutating func assign(_ identity: Int, toRow row: Int) {
    var row = row
    let other = Int(devices.identities.rows[identity])
    if other >= 0 {
      let isNewer = devices.rows[row].lastSeen > devices.rows[other].lastSeen
      let older = isNewer ? other : row
      if !isNewer { row = other }
      // Freeing a row forgets its identity: neither has one meanwhile.
      devices.rows[other].identity = -1
      moveMatches(fromRow: older, to: row)
      remove(row: older)
    }
    devices.identities.rows[identity] = Int32(row)
    devices.rows[row].identity = Int16(identity)
    publicAddressHasChanged(ofRow: row)
  }

  private mutating func publicAddressHasChanged(ofRow row: Int) {
    refreshAccessory(row)
    if matcher.asksForAddress { sets.markUnevaluated(.max, of: devices.rows[row]) }
  }

  /// Moves what was found of a device in a row to its row under another address. An item that has found both addresses
  /// loses the one.
  private mutating func moveMatches(fromRow old: Int, to new: Int) {
    for slot in 0..<devices.matchCount(old) where matches.match(slot, of: old).isFound {
      if move(matches.match(slot, of: old), fromRow: old, to: new) {
        matches.table[matches.index(slot, of: old)].setPresence(.outside, at: clock)
        matches.table[matches.index(slot, of: old)].frames = -1
      } else {
        lose(slot, of: old, reason: .reload)
      }
    }
    sets.dropKnownFrames(of: devices.rows[new])
    if let due = deadline(of: new) { deadlines.schedule(new, noLaterThan: due) }
  }

  /// Returns false if the new row already has this match, or is full.
  private mutating func move(_ match: Match, fromRow old: Int, to new: Int) -> Bool {
    var match = match
    match.replaced = lastMatched(match, row: old)
    match.sets = 0
    if match.frames >= 0 { frames.matches[Int(match.frames)].row = Int32(new) }
    guard
      let slot = matches.slot(ofItem: Int(match.item), row: new, count: devices.rows[new].matchCount)
    else {
      guard devices.matchCount(new) < MatchedItems.capacity else { return false }
      if devices.isUnknown(new) { devices.becomeKnown() }
      let slot = matches.position(ofItem: match.item, row: new, count: devices.rows[new].matchCount)
      matches.insert(match, at: slot, of: new, &devices.rows[new])
      return true
    }
    let index = matches.index(slot, of: new)
    guard !matches.table[index].isFound else { return false }
    match.sets = matches.table[index].sets
    match.replaced = max(match.replaced, matches.table[index].replaced)
    matches.table[index] = match
    return true
  }
}
