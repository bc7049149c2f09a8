// SPDX-License-Identifier: GPL-3.0-or-later

/// A pair of app and device, which a registry has only once.
private struct Grant: Hashable {
  let app: String
  let device: Int64
}

/// A device removed from an app's item, which a registry records only once.
private struct Removal: Hashable {
  let app: String
  let item: String
  let identity: DeviceIdentity
}

extension AccessoryRegistry {
  /// Creates a registry from rows that were read; throws the first error found.
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

  /// Traps if an invariant is violated.
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
    case .former: formers.count
    case .bondRemoval: bondRemovals.count
    }
  }

  /// The first inconsistency between rows.
  private var violation: RegistryConsistencyError? {
    deviceViolation ?? accessoryViolation ?? accountViolation ?? tombstoneViolation
      ?? formerViolation ?? bondRemovalViolation
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
    // Each account removes its app from the set, so a second account of the app is found here.
    return accounts.first { apps.remove($0.app) == nil }.map { .unusedAccount(number: $0.number) }
  }

  /// A former identifier names one device, and no accessory has it.
  private var formerViolation: RegistryConsistencyError? {
    var identifiers = Set(accessories.flatMap { [$0.identifier, $0.bluetoothIdentifier].compactMap(\.self) })
    return formers.first { !identifiers.insert($0.bluetoothIdentifier).inserted }
      .map { .repeatedFormer(number: $0.number) }
  }

  /// A bond is removed once, and no accessory has it.
  private var bondRemovalViolation: RegistryConsistencyError? {
    var addresses = Set(devices.filter(\.bond.isBonded).compactMap(\.addressWithBluetoothd))
    return bondRemovals.first { !addresses.insert($0.address).inserted }
      .map { .repeatedBondRemoval(number: $0.number) }
  }

  private var tombstoneViolation: RegistryConsistencyError? {
    var removals: Set<Removal> = []
    return tombstones.first { tombstone in
      let removal = Removal(app: tombstone.app, item: tombstone.item, identity: tombstone.identity)
      return !removals.insert(removal).inserted
    }.map { .repeatedTombstone(number: $0.number) }
  }
}

/// An invalid row, or an inconsistency between rows. Changes never cause one; a damaged file or an edited export may.
public enum RegistryConsistencyError: Error, Equatable, Sendable {
  case invalid(RegistryTable, number: Int64, RegistryField)
  /// Two rows of a table have the same number.
  case repeatedNumber(RegistryTable, number: Int64)
  case tooMany(RegistryTable)
  /// The device of an accessory is missing.
  case missingDevice(accessory: Int64)
  /// A device has no accessory.
  case unusedDevice(number: Int64)
  /// Two devices have the same address or network.
  case repeatedIdentity(device: Int64)
  /// An app has two accessories on one device.
  case repeatedAccessory(number: Int64)
  /// Two accessories have the same random identifier.
  case repeatedIdentifier(accessory: Int64)
  /// Either an accessory or its device has Bluetooth, but not both.
  case bluetoothDisagrees(accessory: Int64)
  /// An accessory has another network name than its device without Bluetooth.
  case networkDisagrees(accessory: Int64)
  /// An app has accessories but no account.
  case missingAccount(accessory: Int64)
  /// An app has an account but no accessories, or two accounts.
  case unusedAccount(number: Int64)
  /// Two tombstones are for the same device and item.
  case repeatedTombstone(number: Int64)
  /// A former identifier is another one's too, or in use.
  case repeatedFormer(number: Int64)
  /// A bond is to be removed twice, or is an accessory's.
  case repeatedBondRemoval(number: Int64)
}
