// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

// Slots for a new row, set, payload or match: a free one, else one that another gives up.

extension Pipeline {
  // MARK: Rows

  /// Makes a row for an address, or finds the one of the identity that a key resolves it to; nil when only accessories
  /// are left.
  @inline(never)
  mutating func addRow(for address: DeviceAddress) -> Int? {
    let identity = devices.identities.identity(of: address)
    if let identity, let row = devices.moveRow(of: identity, to: address) {
      counters.addressesFollowed &+= 1
      return row
    }
    if devices.freeCount == 0 { evictDevice(sparing: -1) }
    guard devices.freeCount > 0 else {
      counters.devicesTurnedAway &+= 1
      return nil
    }
    counters.devicesAdded &+= 1
    let row = devices.insert(address, identity: identity, at: clock)
    followWants(row)
    return row
  }

  /// Takes its row from the device that gives way next, if there is one and it is not in the row to be spared.
  mutating func evictDevice(sparing row: Int) {
    guard let victim = devices.nextVictim(), victim != row else { return }
    if devices.isUnknown(victim) {
      counters.unknownDevicesEvicted &+= 1
    } else {
      counters.matchingDevicesEvicted &+= 1
    }
    remove(row: victim)
  }

  /// Forgets a device; what it was found as is lost.
  mutating func remove(row: Int) {
    while devices.rows[row].matchCount > 0 {
      drop(match: devices.matchCount(row) - 1, of: row, reason: .evicted)
    }
    sets.freeSets(of: &devices.rows[row])
    deadlines.remove(row)
    devices.remove(row: row)
  }

  /// Marks or unmarks the device at an address (for a resolved one, its identity address) as part of an accessory.
  /// Returns false when there is no room for another accessory. The device begins with the `rhythm` that it is known to
  /// have, in milliseconds; 0 for none.
  public mutating func setAccessory(
    _ address: DeviceAddress, _ isAccessory: Bool, rhythm: UInt32 = 0
  ) -> Bool {
    guard
      let isChanged = devices.accessories.set(address.settled, isAccessory: isAccessory, rhythm: rhythm)
    else { return false }
    guard isChanged else { return true }
    refreshAccessory(devices.row(of: address.settled))
    refreshAccessory(devices.row(of: address.settled.resolved))
    refreshAccessory(devices.identities.row(named: address.settled.resolved))
    return true
  }

  /// Brings a row in line with the list of accessories; -1 for none.
  mutating func refreshAccessory(_ row: Int) {
    guard row >= 0, devices.refreshAccessory(row) else { return }
    followWants(row)
    matches.recount(row, of: devices.rows[row])
    guard !devices.rows[row].isAccessory else { return }
    for slot in (0..<devices.matchCount(row)).reversed() {
      keepQuota(ofItem: Int(matches.match(slot, of: row).item))
    }
  }

  // MARK: Sets and payloads

  /// Finds or makes a set that is not the newest of its row; nil when there is no room for another.
  @inline(never)
  mutating func findOtherSet(_ advertisingSID: UInt8, row: Int) -> Int? {
    let rows = devices.rows
    if let older = sets.detachSet(withSID: advertisingSID, from: &rows[row]) {
      sets.insert(older, intoRow: row, of: &rows[row], at: clock)
      return older
    }
    let newest = Int(rows[row].newestSet)
    if newest >= 0, sets.table[newest].advertisingSID == ReportHeader.noAdvertisingSID {
      setAdvertisingSID(advertisingSID, of: newest, row: row)
      return newest
    }
    guard let set = claimSet(for: row) else {
      counters.setsTurnedAway &+= 1
      return nil
    }
    sets.table[set] = AdvertisingSet(advertisingSID: advertisingSID)
    sets.insert(set, intoRow: row, of: &rows[row], at: clock)
    return set
  }

  /// Gives the set without a SID the one it turned out to have, in the matches as well.
  private mutating func setAdvertisingSID(_ advertisingSID: UInt8, of set: Int, row: Int) {
    let old = sets.table[set].bit
    sets.table[set].advertisingSID = advertisingSID
    sets.table[set].knownFrames = -1
    sets.table[set].lastSeen = clock
    for slot in 0..<devices.matchCount(row) {
      let match = matches.index(slot, of: row)
      guard matches.table[match].sets & old != 0 else { continue }
      matches.table[match].sets = matches.table[match].sets & ~old | sets.table[set].bit
    }
  }

  /// A free set, or the row's own least recently heard one. When none is free, the unknown device that was heard least
  /// recently gives way to a row that has no set yet, to a device that matches, and to an accessory: a few addresses
  /// with many sets each must not make the gateway deaf.
  private mutating func claimSet(for row: Int) -> Int? {
    let isWorthMore = !devices.isUnknown(row) && devices.unknownCount > 0
    if !sets.hasFreeSet, devices.rows[row].newestSet < 0 || isWorthMore { evictDevice(sparing: row) }
    if sets.hasFreeSet { return sets.claimFreeSet() }
    guard devices.rows[row].newestSet >= 0 else { return nil }
    return detachOldestSet(of: row)
  }

  /// Takes the least recently heard set from a row that has one.
  mutating func detachOldestSet(of row: Int) -> Int {
    let (set, previous) = sets.oldestSet(of: devices.rows[row])
    withdraw(set, of: row)
    sets.detach(set, after: previous, from: &devices.rows[row])
    sets.releasePayloads(of: set)
    counters.setsReplaced &+= 1
    return set
  }

  /// Frees the long payloads of the set that was heard least recently among those that bear no match and belong to
  /// no accessory, if there is one.
  mutating func evictLongPayload() {
    let sets = sets.table
    var oldest: Int?
    for slot in 0..<self.sets.payloads.slotCount {
      guard let set = self.sets.payloads.owner(ofSlot: slot), !isNeeded(set) else { continue }
      if let other = oldest, sets[other].lastSeen <= sets[set].lastSeen { continue }
      oldest = set
    }
    guard let oldest else { return }
    releaseLongPayload(of: oldest)
  }

  mutating func releaseLongPayload(of set: Int) {
    sets.releasePayloads(of: set)
    sets.table[set].isEvaluated = false
    counters.longPayloadsEvicted &+= 1
  }

  private func isNeeded(_ set: Int) -> Bool {
    let row = Int(sets.table[set].row)
    if devices.rows[row].isAccessory { return true }
    for slot in 0..<devices.matchCount(row)
    where matches.match(slot, of: row).sets & sets.table[set].bit != 0 { return true }
    return false
  }

  // MARK: Quotas

  /// Whether an item that turned a device away, whose payload is the same, may admit it now.
  mutating func mayHavePlace(_ row: Int, set: Int) -> Bool {
    let sets = sets.table
    var level = Int16.max
    for position in 0..<sets[set].evaluation.items.count {
      level = min(
        level, matches.levelTurnedAway(byItem: Int(sets[set].evaluation.items[position]), at: clock))
    }
    let isRefused = devices.matchCount(row) == 0 && !devices.rows[row].signal.mayRise(above: level)
    if isRefused {
      counters.matchesTurnedAway &+= UInt64(sets[set].evaluation.items.count)
    } else {
      sets[set].isEvaluated = true
    }
    return !isRefused
  }

  /// Makes room in an item's quota for a device, if it is strong enough. The weakest gives way to a device that is
  /// stronger than all of them, always: the strongest in the room is never turned away. To another it gives way when
  /// that is stronger by 6 dB, at most once a second. One that is silent gives way to any, first.
  mutating func claimQuota(ofItem item: Int, for row: Int) -> Bool {
    if matches.hasFreeSlot(forItem: item) { return true }
    // Comparing costs a pass over the table: once a second, and when a device looks like taking a place.
    if matches.quotas[item].isDue(matches.quotas[item].compared, at: clock) {
      matches.compareDevices(ofItem: item, among: devices.rows, at: clock)
    }
    guard matches.admits(row, in: devices.rows, item: item, at: clock),
      let weakestRow = matches.compareDevices(ofItem: item, among: devices.rows, at: clock),
      matches.admits(row, in: devices.rows, item: item, at: clock)
    else { return false }
    let isOldest = matches.replacesOldest(row, in: devices.rows, item: item, at: clock)
    evict(item: item, from: isOldest ? Int(matches.quotas[item].oldestRow) : weakestRow)
    matches.quotas[item].exchanged = clock
    let rank = matches.rank(of: row, in: devices.rows, item: item, at: clock)
    matches.quotas[item].strongest = max(matches.quotas[item].strongest, rank)
    return true
  }

  /// Plans when the strongest are chosen, once after a start, a reload or a return of the radio.
  mutating func planChoice() {
    guard awaitsChoice else { return }
    awaitsChoice = false
    deadlines.schedule(
      devices.rows.count, noLaterThan: clock.advanced(milliseconds: matches.settlingMilliseconds))
  }

  /// Gives the places of each full item to the strongest of the devices that it finds. Call it when an operator is about
  /// to see them.
  public mutating func chooseStrongest() {
    for item in 0..<matches.quotas.count where !matches.hasFreeSlot(forItem: item) {
      chooseStrongest(ofItem: item)
    }
  }

  /// Counts the devices of each level, and lets in those above the level that fills the item; others keep their places.
  private mutating func chooseStrongest(ofItem item: Int) {
    var counts = InlineArray<256, Int32>(repeating: 0)
    for row in 0..<devices.rows.count where isFound(row, byItem: item) || isTurnedAway(row, byItem: item) {
      counts[decibels(of: row, item: item)] += 1
    }
    var free = matches.matchesPerItem
    var level = counts.count - 1
    while level > 0, counts[level] <= free {
      free -= counts[level]
      level -= 1
    }
    for row in 0..<devices.rows.count
    where decibels(of: row, item: item) > level && isTurnedAway(row, byItem: item) {
      takeIn(row, item: Int32(item))
    }
  }

  /// A device's rank in whole decibels, from 0 on.
  private func decibels(of row: Int, item: Int) -> Int {
    max(0, Int(matches.rank(of: row, in: devices.rows, item: item, at: clock)) >> 4 + 128)
  }

  private func isFound(_ row: Int, byItem item: Int) -> Bool {
    let device = devices.rows[row]
    return device.isLive && !device.isAccessory
      && matches.slot(ofItem: item, row: row, count: device.matchCount) != nil
  }

  private func isTurnedAway(_ row: Int, byItem item: Int) -> Bool {
    itemsThatTurnedAway(row: row).contains(Int32(item))
  }

  /// Gives a device a place of each item that turned it away; the weakest gives way. Call it for a device that an
  /// operator names by its address.
  public mutating func giveWay(to address: DeviceAddress) {
    guard let row = devices.row(at: address) else { return }
    let items = itemsThatTurnedAway(row: row)
    for position in 0..<items.count { takeIn(row, item: items[position]) }
  }

  /// Lets a device that an item turned away have the place of the weakest.
  private mutating func takeIn(_ row: Int, item: Int32) {
    var set = Int(devices.rows[row].newestSet)
    while set >= 0, !sets.table[set].evaluation.items.contains(item) { set = Int(sets.table[set].next) }
    guard set >= 0 else { return }
    if !matches.hasFreeSlot(forItem: Int(item)),
      let weakest = matches.compareDevices(ofItem: Int(item), among: devices.rows, at: clock)
    {
      evict(item: Int(item), from: weakest)
    }
    addMatch(of: item, to: row, set: set)
  }

  /// Brings an item back to its quota after an accessory has become a device like any other.
  mutating func keepQuota(ofItem item: Int) {
    guard matches.isOverQuota(item),
      let row = matches.compareDevices(ofItem: item, among: devices.rows, at: clock)
    else { return }
    evict(item: item, from: row)
  }

  private mutating func evict(item: Int, from row: Int) {
    guard let slot = matches.slot(ofItem: item, row: row, count: devices.rows[row].matchCount) else { return }
    sets.markUnevaluated(.max, of: devices.rows[row])
    drop(match: slot, of: row, reason: .evicted)
    counters.matchesEvicted &+= 1
  }
}
