// SPDX-License-Identifier: GPL-3.0-or-later

extension RegistryEdit {
  /// With the last accessory on a device the device goes, and its bond; with the last of an app, its account.
  mutating func remove(
    _ identifier: RandomIdentifier, leavesTombstone: Bool
  ) throws(RegistryError) {
    let accessory = try accessory(identifier)
    let device = registry.device(of: accessory)
    drop(.accessory, number: accessory.number)
    if leavesTombstone, let item = accessory.item { try bury(device, app: accessory.app, item: item) }
    if !registry.accessories.contains(where: { $0.device == device.number }) {
      drop(.device, number: device.number)
      outcome.removedDevice = device
    }
    if !registry.accessories.contains(where: { $0.app == accessory.app }),
      let account = registry.accounts.first(where: { $0.app == accessory.app })
    {
      drop(.account, number: account.number)
    }
  }

  private mutating func bury(_ device: RegistryDevice, app: String, item: String) throws(RegistryError) {
    guard !registry.isRemoved(device.identity, app: app, item: item) else { return }
    if registry.tombstones.count >= RegistryLimits.tombstonesMax, let oldest = registry.tombstones.first {
      drop(.tombstone, number: oldest.number)
      outcome.forgotten = oldest
    }
    try put(
      .tombstone(
        RegistryTombstone(
          number: registry.tombstoneRows.nextNumber, app: app, item: item, identity: device.identity,
          secondAddress: device.secondAddress)))
  }
}
