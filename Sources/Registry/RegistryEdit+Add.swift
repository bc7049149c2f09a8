// SPDX-License-Identifier: GPL-3.0-or-later

extension RegistryEdit {
  mutating func add(_ addition: RegistryAddition) throws(RegistryError) {
    try requireAddable(addition)
    let device = try device(of: addition)
    var accessory = RegistryAccessory(
      number: registry.accessoryRows.nextNumber, identifier: addition.identifier, app: addition.app,
      descriptor: addition.descriptor, device: device.number, state: addition.state)
    accessory.item = addition.item
    accessory.bluetoothIdentifier = device.identity.address.map { _ in addition.bluetoothIdentifier }
    accessory.ssid = device.identity.ssid ?? addition.ssid
    accessory.addedAt = addition.addedAt
    try put(.accessory(accessory))
    if registry.account(ofApp: addition.app) == nil {
      try put(
        .account(
          RegistryAccount(
            number: registry.accountRows.nextNumber, app: addition.app, account: addition.account)))
    }
    for tombstone in registry.tombstones where tombstone.has(addition.identity) && tombstone.is(of: addition)
    {
      drop(.tombstone, number: tombstone.number)
    }
  }

  /// The device as it is known already, else a new one.
  private mutating func device(of addition: RegistryAddition) throws(RegistryError) -> RegistryDevice {
    if let known = registry.device(addition.identity) { return known }
    let device = RegistryDevice(
      number: registry.deviceRows.nextNumber, identity: addition.identity, displayName: addition.displayName,
      isIdentityDurable: addition.isIdentityDurable)
    try put(.device(device))
    return device
  }

  private func requireAddable(_ addition: RegistryAddition) throws(RegistryError) {
    if let bound = registry.account(ofApp: addition.app), bound != addition.account { throw .accountChanged }
    if let accessory = registry.accessory(ofApp: addition.app, on: addition.identity) {
      throw .alreadyAdded(accessory.identifier)
    }
    if addition.isHandsFree, let item = addition.item,
      registry.isRemoved(addition.identity, app: addition.app, item: item)
    {
      throw .removedBefore
    }
    try requireRoom(for: addition)
    guard !areTaken(addition.identifier, addition.bluetoothIdentifier) else { throw .identifierTaken }
  }

  private func requireRoom(for addition: RegistryAddition) throws(RegistryError) {
    guard registry.accessories.count < RegistryLimits.accessoriesMax else { throw .full }
    guard let item = addition.item, let maxAccessories = addition.maxAccessories else { return }
    let count = registry.accessories.count { $0.app == addition.app && $0.item == item }
    guard count < Int(maxAccessories) else { throw .itemFull(maxAccessories: maxAccessories) }
  }

  private func areTaken(_ identifier: RandomIdentifier, _ bluetoothIdentifier: RandomIdentifier) -> Bool {
    identifier == bluetoothIdentifier
      || registry.accessories.contains { accessory in
        [accessory.identifier, accessory.bluetoothIdentifier].contains(identifier)
          || [accessory.identifier, accessory.bluetoothIdentifier].contains(bluetoothIdentifier)
      }
  }
}

extension RegistryTombstone {
  /// Whether it lies in the way of what is being added.
  fileprivate func `is`(of addition: RegistryAddition) -> Bool {
    app == addition.app && item == addition.item
  }
}
