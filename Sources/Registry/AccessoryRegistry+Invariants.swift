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
    var counts: [RegistryTable: Int] = [:]
    for row in rows {
      if let field = row.problem { throw .invalid(row.table, number: row.number, field) }
      guard self.row(row.table, number: row.number) == nil else {
        throw .repeatedNumber(row.table, number: row.number)
      }
      put(row)
      counts[row.table, default: 0] += 1
      guard counts[row.table, default: 0] <= RegistryLimits.rowsMax(of: row.table) else {
        throw .tooMany(row.table)
      }
    }
    if let violation { throw violation }
  }

  /// Traps if an invariant is violated.
  public func checkInvariants() {
    for row in rows { precondition(row.problem == nil, "\(row.table) \(row.number) cannot be stored") }
    if let violation { preconditionFailure("\(violation)") }
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
          return RegistryConsistencyError("device \(device.number) occurs under another number too")
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
      guard apps.contains(accessory.app) else {
        return RegistryConsistencyError("the account of accessory \(accessory.number) is missing")
      }
      guard grants.insert(Grant(app: accessory.app, device: accessory.device)).inserted else {
        return RegistryConsistencyError(
          "the app of accessory \(accessory.number) has another accessory on the same device")
      }
      for identifier in [accessory.identifier, accessory.bluetoothIdentifier].compactMap(\.self) {
        guard identifiers.insert(identifier).inserted else {
          return RegistryConsistencyError("an identifier of accessory \(accessory.number) occurs twice")
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
      return RegistryConsistencyError("accessory \(accessory.number) and its device differ about Bluetooth")
    }
    if let ssid = device.identity.ssid, accessory.ssid != ssid {
      return RegistryConsistencyError("accessory \(accessory.number) and its device differ about the network")
    }
    return nil
  }

  private var accountViolation: RegistryConsistencyError? {
    var apps = Set(accessories.map(\.app))
    // Each account removes its app from the set, so a second account of the app is found here.
    return accounts.first { apps.remove($0.app) == nil }.map {
      RegistryConsistencyError("account \($0.number) has no accessories or occurs twice")
    }
  }

  /// A former identifier names one device, and no accessory has it.
  private var formerViolation: RegistryConsistencyError? {
    var identifiers = Set(accessories.flatMap { [$0.identifier, $0.bluetoothIdentifier].compactMap(\.self) })
    return formers.first { !identifiers.insert($0.bluetoothIdentifier).inserted }
      .map { RegistryConsistencyError("the identifier of former \($0.number) occurs twice") }
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
    }.map { RegistryConsistencyError("tombstone \($0.number) occurs twice") }
  }
}

/// An invalid row, or an inconsistency between rows. Changes never cause one; a damaged file or an edited export may.
public struct RegistryConsistencyError: Error, Equatable, Sendable {
  /// What is wrong, without a full stop.
  public let reason: String

  fileprivate init(_ reason: String) { self.reason = reason }

  public static func invalid(_ table: RegistryTable, number: Int64, _ field: RegistryField) -> Self {
    Self("\(table.rawValue) \(number) has an invalid \(field.rawValue)")
  }
  public static func repeatedNumber(_ table: RegistryTable, number: Int64) -> Self {
    Self("\(table.rawValue) \(number) occurs twice")
  }
  public static func tooMany(_ table: RegistryTable) -> Self {
    Self("it has more rows of \(table.rawValue) than \(RegistryLimits.rowsMax(of: table))")
  }
  public static func missingDevice(accessory: Int64) -> Self {
    Self("the device of accessory \(accessory) is missing")
  }
  public static func unusedDevice(number: Int64) -> Self { Self("device \(number) has no accessory") }
  public static func repeatedBondRemoval(number: Int64) -> Self {
    Self("the device of bondRemoval \(number) occurs twice, or has a bond of bluetoothd")
  }
}
