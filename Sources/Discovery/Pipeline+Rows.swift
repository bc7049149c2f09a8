// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

// Which advertisers have a row, and who gives way when all are taken: strangers first, then devices that match,
// each the least recently heard; accessories never.

extension Pipeline {
  /// The row of an address, new if need be; nil when the table holds only accessories.
  @inline(__always)
  mutating func row(of address: DeviceAddress) -> Int? {
    let known = index.row(of: address)
    return known >= 0 ? known : admit(address)
  }

  @inline(never)
  private mutating func admit(_ address: DeviceAddress) -> Int? {
    let identity = resolve(address)
    if let identity, let row = follow(identity, to: address) { return row }
    guard let row = freeRow() else {
      tally.devicesTurnedAway &+= 1
      return nil
    }
    var device = Device()
    device.address = address
    device.isLive = true
    device.identity = Int16(identity ?? -1)
    device.firstSeen = clock
    device.lastSeen = clock
    device.isAccessory = belongsToAccessory(device)
    devices[row] = device
    if let identity { identityRows[identity] = Int32(row) }
    if !device.isAccessory { strangerCount += 1 }
    index.insert(address, row: row)
    tally.devicesAdded &+= 1
    return row
  }

  func resolve(_ address: DeviceAddress) -> Int? {
    guard address.lifetime == .resolvablePrivate else { return nil }
    for identity in 0..<identityCount where identities[identity].resolves(address) { return identity }
    return nil
  }

  /// Gives the row of a known identity its new private address.
  private mutating func follow(_ identity: Int, to address: DeviceAddress) -> Int? {
    let row = Int(identityRows[identity])
    guard row >= 0 else { return nil }
    index.remove(devices[row].address)
    index.insert(address, row: row)
    devices[row].address = address
    tally.addressesFollowed &+= 1
    return row
  }

  private mutating func freeRow() -> Int? {
    if freeRowCount == 0 { evictDevice(sparing: -1) }
    guard freeRowCount > 0 else { return nil }
    freeRowCount -= 1
    return Int(freeRows[freeRowCount])
  }

  /// Takes its row from the device that is to give way next, if there is one and it is not in the row to be spared.
  mutating func evictDevice(sparing row: Int) {
    guard let victim = nextVictim(), victim != row else { return }
    if isStranger(victim) { tally.unknownDevicesEvicted &+= 1 } else { tally.matchingDevicesEvicted &+= 1 }
    remove(row: victim)
  }

  func isStranger(_ row: Int) -> Bool { devices[row].matchCount == 0 && !devices[row].isAccessory }

  private mutating func nextVictim() -> Int? {
    if !victims.holdsStrangers, strangerCount > 0 { victims.restart(strangers: true) }
    if let row = queuedVictim() { return row }
    victims.restart(strangers: strangerCount > 0)
    for row in 0..<devices.count where isEligible(row) {
      victims.offer(row: row, lastSeen: devices[row].lastSeen)
    }
    return queuedVictim()
  }

  private mutating func queuedVictim() -> Int? {
    while let candidate = victims.next() {
      let row = Int(candidate.row)
      if isEligible(row), devices[row].lastSeen == candidate.lastSeen { return row }
    }
    return nil
  }

  private func isEligible(_ row: Int) -> Bool {
    devices[row].isLive && !devices[row].isAccessory
      && (!victims.holdsStrangers || devices[row].matchCount == 0)
  }

  /// Forgets a device; what it was found as is lost.
  mutating func remove(row: Int) {
    while devices[row].matchCount > 0 {
      drop(match: Int(devices[row].matchCount) - 1, of: row, reason: .evicted)
    }
    if !devices[row].isAccessory { strangerCount -= 1 }
    releaseSets(of: row)
    deadlines.remove(row)
    index.remove(devices[row].address)
    if devices[row].identity >= 0 { identityRows[Int(devices[row].identity)] = -1 }
    devices[row].isLive = false
    freeRows[freeRowCount] = Int32(row)
    freeRowCount += 1
  }

  /// The address that stands for a device in events: its identity when a key resolved it.
  func publicAddress(of device: Device) -> DeviceAddress {
    publicAddress(of: device.address, identity: Int(device.identity))
  }

  func publicAddress(of address: DeviceAddress, identity: Int) -> DeviceAddress {
    guard identity >= 0 else { return address }
    let identity = identities[identity].identity
    return DeviceAddress(
      bits: identity.bits, type: identity.type == .public ? .publicIdentity : .randomIdentity)
  }

  /// Marks or unmarks the device at an address (for a resolved one, its identity address) as part of an accessory.
  /// Returns false when there is no place for another accessory.
  public mutating func setAccessory(_ address: DeviceAddress, _ isAccessory: Bool) -> Bool {
    switch (accessoryPlace(of: address), isAccessory) {
    case (nil, true):
      guard accessoryCount < accessories.count else { return false }
      accessories[accessoryCount] = address
      accessoryCount += 1
    case (let place?, false):
      accessoryCount -= 1
      accessories[place] = accessories[accessoryCount]
    case (nil, false), (_?, true):
      return true
    }
    for row in 0..<devices.count where devices[row].isLive { refreshAccessory(row) }
    return true
  }

  private mutating func refreshAccessory(_ row: Int) {
    let isAccessory = belongsToAccessory(devices[row])
    guard isAccessory != devices[row].isAccessory else { return }
    let change: Int32 = isAccessory ? -1 : 1
    if devices[row].matchCount == 0 { strangerCount += Int(change) }
    for match in 0..<Int(devices[row].matchCount) {
      itemMatches[Int(self.match(match, of: row).item)] += change
    }
    devices[row].isAccessory = isAccessory
    if isAccessory { return }
    if isEligible(row) { victims.offerLate(row: row, lastSeen: devices[row].lastSeen) }
    for match in (0..<Int(devices[row].matchCount)).reversed() {
      keepQuota(of: Int(self.match(match, of: row).item))
    }
  }

  func belongsToAccessory(_ device: Device) -> Bool {
    accessoryPlace(of: publicAddress(of: device)) != nil || accessoryPlace(of: device.address) != nil
  }

  private func accessoryPlace(of address: DeviceAddress) -> Int? {
    for place in 0..<accessoryCount where accessories[place] == address { return place }
    return nil
  }
}
