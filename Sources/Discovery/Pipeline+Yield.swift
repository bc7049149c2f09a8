// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

// The first half of a reload: what the new manifest ends is told in the words of the old one.

extension Pipeline {
  /// Lets time pass, then ends what does not live on in `successor`, which is new and has seen nothing.
  ///
  /// `successors` gives each item's index there, or -1. Matches of items without one, and of devices that get another
  /// public address, are lost by the reload; only then what the smaller tables of the successor cannot hold gives way,
  /// in the order in which it always does. What a device matched so far decides how much it is worth.
  ///
  /// Afterwards only ``takeOver(_:successors:names:)`` may follow.
  public mutating func yield(
    to successor: inout Pipeline, successors: Span<Int32>, at time: Instant
  ) {
    advance(to: time)
    for row in 0..<devices.count where devices[row].isLive {
      let identity = successor.identity(of: devices[row], in: self)
      let address = successor.publicAddress(of: devices[row].address, identity: identity ?? -1)
      let isOther = address != publicAddress(of: devices[row])
      for place in (0..<Int(devices[row].matchCount)).reversed()
      where isOther || successors[Int(match(place, of: row).item)] < 0 {
        lose(place, of: row, reason: .reload)
      }
      if let identity { settle(identity, for: row, in: &successor) }
    }
    shrink(to: successor)
  }

  /// The identity of another pipeline's device here: the one it has, or what a new key makes of its address.
  private func identity(of device: Device, in old: borrowing Pipeline) -> Int? {
    if device.identity >= 0, let same = place(of: old.identities[Int(device.identity)]) { return same }
    guard device.address.lifetime == .resolvablePrivate else { return nil }
    for identity in 0..<identityCount
    where device.identity >= 0 || old.place(of: identities[identity]) == nil {
      if identities[identity].resolves(device.address) { return identity }
    }
    return nil
  }

  private func place(of identity: IdentityKey) -> Int? {
    for place in 0..<identityCount where identities[place] == identity { return place }
    return nil
  }

  /// Gives an identity of the successor to a row of this pipeline. Of two addresses of one device only the one heard
  /// last stays.
  private mutating func settle(_ identity: Int, for row: Int, in successor: inout Pipeline) {
    let other = Int(successor.identityRows[identity])
    guard other >= 0 else {
      successor.identityRows[identity] = Int32(row)
      return
    }
    let isNewer = devices[row].lastSeen > devices[other].lastSeen
    if isNewer { successor.identityRows[identity] = Int32(row) }
    let older = isNewer ? other : row
    for place in (0..<Int(devices[older].matchCount)).reversed() { lose(place, of: older, reason: .reload) }
    remove(row: older)
  }

  private mutating func shrink(to successor: borrowing Pipeline) {
    while accessoryCount > successor.accessories.count {
      _ = setAccessory(accessories[accessoryCount - 1], false)
    }
    while devices.count - freeRowCount > successor.devices.count { shedDevice() }
    var surplus = sets.count - freeSetCount - successor.sets.count
    shedSets(&surplus, ofStrangers: true)
    shedSets(&surplus, ofStrangers: false)
    while payloads.usedSlotCount > successor.payloads.slotCount { shedLongPayload() }
  }

  /// Removes a device as a new one would; among accessories only, the one heard least recently.
  private mutating func shedDevice() {
    let before = freeRowCount
    evictDevice(sparing: -1)
    guard freeRowCount == before else { return }
    var oldest: Int?
    for row in 0..<devices.count where devices[row].isLive {
      if let other = oldest, devices[other].lastSeen <= devices[row].lastSeen { continue }
      oldest = row
    }
    if let oldest { remove(row: oldest) }
  }

  /// Takes the least recently heard sets of devices that have several, in row order, until there is no surplus.
  private mutating func shedSets(_ surplus: inout Int, ofStrangers isStrangersTurn: Bool) {
    for row in 0..<devices.count where devices[row].isLive && isStranger(row) == isStrangersTurn {
      while surplus > 0, shedSet(of: row) { surplus -= 1 }
    }
  }

  private mutating func shedSet(of row: Int) -> Bool {
    var previous = -1
    var set = Int(devices[row].newestSet)
    while set >= 0, sets[set].next >= 0 {
      previous = set
      set = Int(sets[set].next)
    }
    guard previous >= 0 else { return false }
    forget(set, of: row, reason: .evicted)
    unlink(set, after: previous, of: row)
    releasePayloads(of: set)
    sets[set] = AdvertisingSet(next: freeSet)
    freeSet = Int32(set)
    tally.setsReplaced &+= 1
    return true
  }

  /// Frees the long payload that another would take, or, when all are needed, the one heard least recently with what
  /// it bears; those of accessories last.
  private mutating func shedLongPayload() {
    let before = payloads.usedSlotCount
    evictLongPayload()
    guard payloads.usedSlotCount == before else { return }
    guard let set = oldestLongPayload(ofAccessories: false) ?? oldestLongPayload(ofAccessories: true) else {
      return
    }
    forget(set, of: Int(sets[set].row), reason: .evicted)
    releasePayloads(of: set)
    sets[set].isEvaluated = false
    tally.longPayloadsEvicted &+= 1
  }

  private func oldestLongPayload(ofAccessories isAccessory: Bool) -> Int? {
    var oldest: Int?
    for slot in 0..<payloads.slotCount {
      guard let set = payloads.owner(ofSlot: slot), devices[Int(sets[set].row)].isAccessory == isAccessory
      else { continue }
      if let other = oldest, sets[other].lastSeen <= sets[set].lastSeen { continue }
      oldest = set
    }
    return oldest
  }
}
