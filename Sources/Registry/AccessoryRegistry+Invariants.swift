// SPDX-License-Identifier: GPL-3.0-or-later

/// What an app can have once.
private struct Grant: Hashable {
  let app: String
  let device: Int64
}

/// What can be removed from an app's item once.
private struct Removal: Hashable {
  let app: String
  let item: String
  let identity: DeviceIdentity
}

extension AccessoryRegistry {
  /// A registry of these rows, which somebody wrote down; throws the first thing that cannot be.
  public init(_ rows: [RegistryRow]) throws(RegistryConsistencyError) {
    for row in rows {
      if let field = row.problem { throw .invalid(row.table, number: row.number, field) }
      guard self.row(row.table, number: row.number) == nil else {
        throw .repeatedNumber(row.table, number: row.number)
      }
      put(row)
      guard count(of: row.table) <= RegistryLimits.rowsMax(of: row.table) else { throw .tooMany(row.table) }
    }
    if let violation { throw violation }
  }

  /// Traps when something does not hold that always does.
  public func checkInvariants() {
    for row in rows { precondition(row.problem == nil, "\(row.table) \(row.number) cannot be stored") }
    if let violation { preconditionFailure("\(violation)") }
  }

  private func count(of table: RegistryTable) -> Int {
    switch table {
    case .account: accounts.count
    case .device: devices.count
    case .accessory: accessories.count
    case .tombstone: tombstones.count
    }
  }

  /// The first thing that does not hold between rows.
  private var violation: RegistryConsistencyError? {
    deviceViolation ?? accessoryViolation ?? accountViolation ?? tombstoneViolation
  }

  private var deviceViolation: RegistryConsistencyError? {
    let used = Set(accessories.map(\.device))
    var identities: Set<DeviceIdentity> = []
    for device in devices {
      guard used.contains(device.number) else { return .unusedDevice(number: device.number) }
      for identity in [device.identity] + (device.secondAddress.map { [.bluetooth($0)] } ?? []) {
        guard identities.insert(identity).inserted else {
          return .repeatedIdentity(device: device.number)
        }
      }
    }
    return nil
  }

  private var accessoryViolation: RegistryConsistencyError? {
    var identifiers: Set<RandomIdentifier> = []
    var grants: Set<Grant> = []
    let apps = Set(accounts.map(\.app))
    for accessory in accessories {
      if let violation = violation(between: accessory, and: deviceRows[accessory.device]) { return violation }
      guard apps.contains(accessory.app) else { return .missingAccount(accessory: accessory.number) }
      guard grants.insert(Grant(app: accessory.app, device: accessory.device)).inserted else {
        return .repeatedAccessory(number: accessory.number)
      }
      for identifier in [accessory.identifier, accessory.bluetoothIdentifier].compactMap(\.self) {
        guard identifiers.insert(identifier).inserted else {
          return .repeatedIdentifier(accessory: accessory.number)
        }
      }
    }
    return nil
  }

  private func violation(
    between accessory: RegistryAccessory, and device: RegistryDevice?
  ) -> RegistryConsistencyError? {
    guard let device else { return .missingDevice(accessory: accessory.number) }
    if (device.identity.address == nil) != (accessory.bluetoothIdentifier == nil) {
      return .bluetoothDisagrees(accessory: accessory.number)
    }
    if let ssid = device.identity.ssid, accessory.ssid != ssid {
      return .networkDisagrees(accessory: accessory.number)
    }
    return nil
  }

  private var accountViolation: RegistryConsistencyError? {
    var apps = Set(accessories.map(\.app))
    // Each account takes its app, so a second one finds none.
    return accounts.first { apps.remove($0.app) == nil }.map { .unusedAccount(number: $0.number) }
  }

  private var tombstoneViolation: RegistryConsistencyError? {
    var removals: Set<Removal> = []
    return tombstones.first { tombstone in
      let removal = Removal(app: tombstone.app, item: tombstone.item, identity: tombstone.identity)
      return !removals.insert(removal).inserted
    }.map { .repeatedTombstone(number: $0.number) }
  }
}
