// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The advertisers that are remembered, one row each.
///
/// Capacity: fixed at start. When all rows are taken, a device gives way: unknown devices first, then devices that
/// match an item, each time the one heard least recently. Accessories never give way; when only they are left, a new
/// device finds no row.
struct DeviceTable: ~Copyable {
  let rows: FixedTable<Device>
  var index: AddressIndex
  /// The rows that are free; the last of ``freeCount`` is used next.
  let freeRows: FixedTable<Int32>
  var freeCount = 0
  var victims: VictimQueue
  var identities: IdentityTable
  var accessories: AccessoryList
  /// Devices that match no item and belong to no accessory.
  var unknownCount = 0
  /// How often others became unknown, or unknown ones something else.
  var filterChanges: UInt32 = 0

  init(
    rows count: Int, identities: Int, accessories: Int, hashKey: HashKey, in arena: inout Arena
  ) {
    index = AddressIndex(rows: count, hashKey: hashKey, in: &arena)
    rows = arena.table(of: Device(), count: count)
    freeRows = arena.table(of: 0, count: count)
    victims = VictimQueue(in: &arena)
    self.identities = IdentityTable(capacity: identities, in: &arena)
    self.accessories = AccessoryList(capacity: accessories, in: &arena)
    // All rows are free, the lowest first. The tables of a measuring arena have none.
    freeCount = freeRows.count
    for row in 0..<freeRows.count { freeRows[row] = Int32(freeRows.count - 1 - row) }
  }

  var usedCount: Int { rows.count - freeCount }

  /// The row of an address as it is on the air, or -1.
  @inline(__always)
  func row(of address: DeviceAddress) -> Int { index.row(of: address) }

  /// The row of an address as it is on the air, or of an identity address that a key resolved.
  func row(at address: DeviceAddress) -> Int? {
    let onAir = index.row(of: address)
    let row = onAir >= 0 ? onAir : identities.row(named: address)
    return row >= 0 ? row : nil
  }

  /// The address that events give for a device: its identity address once a key has resolved the one on the air.
  func publicAddress(of device: Device) -> DeviceAddress {
    identities.publicAddress(of: device.address, identity: Int(device.identity))
  }

  func matchCount(_ row: Int) -> Int { Int(rows[row].matchCount) }

  // MARK: Rows

  /// Gives the row of a known identity its new private address.
  mutating func moveRow(of identity: Int, to address: DeviceAddress) -> Int? {
    let row = Int(identities.rows[identity])
    guard row >= 0 else { return nil }
    index.remove(rows[row].address)
    index.insert(address, row: row)
    rows[row].address = address
    return row
  }

  /// A free row, which the caller has made sure of.
  mutating func claimFreeRow() -> Int {
    freeCount -= 1
    return Int(freeRows[freeCount])
  }

  /// Puts a device that has just been heard for the first time into a free row.
  mutating func insert(_ address: DeviceAddress, identity: Int?, at now: Instant) -> Int {
    let row = claimFreeRow()
    var device = Device()
    device.address = address
    device.isLive = true
    device.identity = Int16(identity ?? -1)
    device.firstSeen = now
    device.levels = LevelHistory(appeared: now)
    device.lastSeen = now
    setAccessory(&device)
    rows[row] = device
    if let identity { identities.rows[identity] = Int32(row) }
    if !device.isAccessory { unknownCount += 1 }
    index.insert(address, row: row)
    return row
  }

  /// Frees the row of a device that matches nothing any more.
  mutating func remove(row: Int) {
    if !rows[row].isAccessory { unknownCount -= 1 }
    index.remove(rows[row].address)
    if rows[row].identity >= 0 { identities.rows[Int(rows[row].identity)] = -1 }
    rows[row].isLive = false
    freeRows[freeCount] = Int32(row)
    freeCount += 1
  }

  // MARK: Eviction

  /// Whether a device matches no item and belongs to no accessory.
  func isUnknown(_ row: Int) -> Bool { rows[row].matchCount == 0 && !rows[row].isAccessory }

  /// Counts a device that begins to match no longer among the unknown ones.
  mutating func becomeKnown() {
    unknownCount -= 1
    filterChanges &+= 1
  }

  /// Counts a device that has lost its last match among the unknown ones.
  mutating func becomeUnknown(_ row: Int) {
    unknownCount += 1
    filterChanges &+= 1
    if victims.holdsUnknownDevices { victims.offerLate(row: row, lastSeen: rows[row].lastSeen) }
  }

  /// The row that gives way next, or nil when only accessories are left.
  mutating func nextVictim() -> Int? {
    if !victims.holdsUnknownDevices, unknownCount > 0 { victims.restart(unknownDevices: true) }
    if let row = queuedVictim() { return row }
    victims.restart(unknownDevices: unknownCount > 0)
    for row in 0..<rows.count where canGiveWay(row) { victims.offer(row: row, lastSeen: rows[row].lastSeen) }
    return queuedVictim()
  }

  private mutating func queuedVictim() -> Int? {
    while let candidate = victims.next() {
      let row = Int(candidate.row)
      if canGiveWay(row), rows[row].lastSeen == candidate.lastSeen { return row }
    }
    return nil
  }

  private func canGiveWay(_ row: Int) -> Bool {
    rows[row].isLive && !rows[row].isAccessory
      && (!victims.holdsUnknownDevices || rows[row].matchCount == 0)
  }

  // MARK: Accessories

  /// Brings a device in line with the list of accessories, which names it by its address or its identity address. One
  /// that becomes an accessory begins with the rhythm that it is known to have.
  func setAccessory(_ device: inout Device) {
    let place =
      accessories.index(of: publicAddress(of: device).settled)
      ?? accessories.index(of: device.address.settled)
    if let place, !device.isAccessory {
      device.signal.restoreRhythm(accessories.rhythm(at: place), since: device.firstSeen)
      device.isDeadlineEarly = false
    }
    device.isAccessory = place != nil
    device.accessoryStreams = place.map { accessories.streams(at: $0) } ?? 0
  }

  /// Brings one row in line with the list of accessories. Returns whether it changed.
  mutating func refreshAccessory(_ row: Int) -> Bool {
    let wasAccessory = rows[row].isAccessory
    setAccessory(&rows[row])
    let isAccessory = rows[row].isAccessory
    guard isAccessory != wasAccessory else { return false }
    filterChanges &+= 1
    if rows[row].matchCount == 0 { unknownCount += isAccessory ? -1 : 1 }
    if !isAccessory, canGiveWay(row) { victims.offerLate(row: row, lastSeen: rows[row].lastSeen) }
    return true
  }

  /// Checks what the parts of the table promise each other; for tests.
  func checkInvariants() {
    var live = 0
    var unknown = 0
    for row in 0..<rows.count where rows[row].isLive {
      live += 1
      if isUnknown(row) { unknown += 1 }
      precondition(index.row(of: rows[row].address) == row, "an address leads to another row")
    }
    precondition(unknown == unknownCount, "unknown devices are miscounted")
    precondition(live + freeCount == rows.count, "rows are lost")
  }
}
