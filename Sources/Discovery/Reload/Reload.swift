// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A reload: a new pipeline continues where the old one ended.
///
/// The first half, ``endMatches(of:before:at:)``, reports what the new manifest ends, in the words of the old one. The
/// second half, ``transfer(from:to:names:)``, fills the new pipeline.
public struct Reload: ~Escapable {
  /// For each old item its index in the new pipeline, or -1 when it has none there.
  let successors: Span<Int32>

  @_lifetime(copy successors)
  public init(successors: Span<Int32>) { self.successors = successors }

  /// Lets time pass in the old pipeline, then ends the matches that the new one, which is still empty, does not keep.
  ///
  /// Matches of items without a successor, and of devices that get another public address, are lost by the reload. Only
  /// then what the smaller tables of the new pipeline cannot hold gives way, in the order in which it always does: what
  /// a device matched so far decides how much it is worth.
  ///
  /// Afterwards only ``transfer(from:to:names:)`` may follow.
  public func endMatches(of old: inout Pipeline, before new: inout Pipeline, at time: Instant) {
    old.advance(to: time)
    for row in 0..<old.devices.rows.count where old.devices.rows[row].isLive {
      let device = old.devices.rows[row]
      let identity = Self.identity(of: device, in: old.devices.identities, now: new.devices.identities)
      let address = new.devices.identities.publicAddress(of: device.address, identity: identity ?? -1)
      let isOther = address.settled != old.devices.publicAddress(of: device).settled
      for slot in (0..<Int(device.matchCount)).reversed()
      where isOther || successors[Int(old.matches.match(slot, of: row).item)] < 0 {
        old.lose(slot, of: row, reason: .reload)
      }
      if let identity { Self.assign(identity, toRow: row, of: &old, in: &new) }
    }
    old.shrink(toFit: new)
  }

  /// The identity of an old device among the new keys: the one it had, or what a new key makes of its address.
  private static func identity(
    of device: Device, in old: borrowing IdentityTable, now new: borrowing IdentityTable
  ) -> Int? {
    if device.identity >= 0, let same = new.index(of: old.keys[Int(device.identity)]) { return same }
    for identity in 0..<new.count where device.identity >= 0 || old.index(of: new.keys[identity]) == nil {
      if new.keys[identity].isKey(of: device.address) { return identity }
    }
    return nil
  }

  /// Gives an identity of the new pipeline to a row of the old one. Of two addresses of one device only the one heard
  /// last stays.
  private static func assign(
    _ identity: Int, toRow row: Int, of old: inout Pipeline, in new: inout Pipeline
  ) {
    let other = Int(new.devices.identities.rows[identity])
    guard other >= 0 else {
      new.devices.identities.rows[identity] = Int32(row)
      return
    }
    let isNewer = old.devices.rows[row].lastSeen > old.devices.rows[other].lastSeen
    if isNewer { new.devices.identities.rows[identity] = Int32(row) }
    let older = isNewer ? other : row
    for slot in (0..<old.devices.matchCount(older)).reversed() { old.lose(slot, of: older, reason: .reload) }
    old.remove(row: older)
  }
}

// Evictions before a reload to smaller tables.

extension Pipeline {
  fileprivate mutating func shrink(toFit new: borrowing Pipeline) {
    while devices.accessories.count > new.devices.accessories.capacity {
      _ = setAccessory(devices.accessories[devices.accessories.count - 1], false)
    }
    while devices.usedCount > new.devices.rows.count { removeLeastValuableDevice() }
    var excess = sets.table.count - sets.freeCount - new.sets.table.count
    removeSets(&excess, ofUnknownDevices: true)
    removeSets(&excess, ofUnknownDevices: false)
    while sets.payloads.usedSlotCount > new.sets.payloads.slotCount { removeLongPayload() }
  }

  /// Removes a device as a new one would; among accessories only, the one heard least recently.
  private mutating func removeLeastValuableDevice() {
    let before = devices.freeCount
    evictDevice(sparing: -1)
    guard devices.freeCount == before else { return }
    var oldest: Int?
    for row in 0..<devices.rows.count where devices.rows[row].isLive {
      if let other = oldest, devices.rows[other].lastSeen <= devices.rows[row].lastSeen { continue }
      oldest = row
    }
    if let oldest { remove(row: oldest) }
  }

  /// Removes the least recently heard sets of devices that have several, in row order, until none is in excess.
  private mutating func removeSets(_ excess: inout Int, ofUnknownDevices isTurnOfUnknown: Bool) {
    for row in 0..<devices.rows.count
    where devices.rows[row].isLive && devices.isUnknown(row) == isTurnOfUnknown {
      while excess > 0, sets.count(from: devices.rows[row].newestSet) > 1 {
        sets.free(detachOldestSet(of: row))
        excess -= 1
      }
    }
  }

  /// Frees the long payload that another would take, or, when all are needed, the one heard least recently with what
  /// it bears; those of accessories last.
  private mutating func removeLongPayload() {
    let before = sets.payloads.usedSlotCount
    evictLongPayload()
    guard sets.payloads.usedSlotCount == before else { return }
    guard let set = oldestLongPayload(ofAccessories: false) ?? oldestLongPayload(ofAccessories: true) else {
      return
    }
    withdraw(set, of: Int(sets.table[set].row))
    releaseLongPayload(of: set)
  }

  private func oldestLongPayload(ofAccessories isAccessory: Bool) -> Int? {
    var oldest: Int?
    for slot in 0..<sets.payloads.slotCount {
      guard let set = sets.payloads.owner(ofSlot: slot),
        devices.rows[Int(sets.table[set].row)].isAccessory == isAccessory
      else { continue }
      if let other = oldest, sets.table[other].lastSeen <= sets.table[set].lastSeen { continue }
      oldest = set
    }
    return oldest
  }
}
