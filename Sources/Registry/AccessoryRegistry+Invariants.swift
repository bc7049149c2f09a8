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
public struct RegistryConsistencyError: Error, Equatable, Sendable {
  /// What is wrong, without a full stop.
  public let reason: String

  private init(_ reason: String) { self.reason = reason }

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
  static func repeatedIdentity(device: Int64) -> Self {
    Self("device \(device) occurs under another number too")
  }
  static func repeatedAccessory(number: Int64) -> Self {
    Self("the app of accessory \(number) has another accessory on the same device")
  }
  static func repeatedIdentifier(accessory: Int64) -> Self {
    Self("an identifier of accessory \(accessory) occurs twice")
  }
  static func bluetoothDisagrees(accessory: Int64) -> Self {
    Self("accessory \(accessory) and its device differ about Bluetooth")
  }
  /// An accessory has another network name than its device without Bluetooth.
  static func networkDisagrees(accessory: Int64) -> Self {
    Self("accessory \(accessory) and its device differ about the network")
  }
  static func missingAccount(accessory: Int64) -> Self {
    Self("the account of accessory \(accessory) is missing")
  }
  static func unusedAccount(number: Int64) -> Self {
    Self("account \(number) has no accessories or occurs twice")
  }
  static func repeatedTombstone(number: Int64) -> Self { Self("tombstone \(number) occurs twice") }
  /// A former identifier is another one's too, or in use.
  static func repeatedFormer(number: Int64) -> Self {
    Self("the identifier of former \(number) occurs twice")
  }
  public static func repeatedBondRemoval(number: Int64) -> Self {
    Self("the device of bondRemoval \(number) occurs twice, or has a bond of bluetoothd")
  }
}
