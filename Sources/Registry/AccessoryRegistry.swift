// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// All grants: which devices are accessories of which apps.
///
/// Only ``apply(_:)`` changes it; it also returns what must be written to disk. Capacity: ``RegistryLimits``.
public struct AccessoryRegistry: Equatable, Sendable {
  var accountRows = NumberedRows<RegistryAccount>()
  var deviceRows = NumberedRows<RegistryDevice>()
  var accessoryRows = NumberedRows<RegistryAccessory>()
  var tombstoneRows = NumberedRows<RegistryTombstone>()
  var formerRows = NumberedRows<FormerIdentifier>()
  var bondRemovalRows = NumberedRows<BondRemoval>()

  public init() {}

  public var accounts: [RegistryAccount] { accountRows.rows }
  public var devices: [RegistryDevice] { deviceRows.rows }
  /// In the order in which they were added.
  public var accessories: [RegistryAccessory] { accessoryRows.rows }
  /// In order of age, the oldest first.
  public var tombstones: [RegistryTombstone] { tombstoneRows.rows }
  /// In order of age, the oldest first.
  public var formers: [FormerIdentifier] { formerRows.rows }
  /// In order of age, the oldest first.
  public var bondRemovals: [BondRemoval] { bondRemovalRows.rows }

  public var isEmpty: Bool { accessories.isEmpty && tombstones.isEmpty && formers.isEmpty }

  public func accessory(_ identifier: RandomIdentifier) -> RegistryAccessory? {
    accessories.first { $0.identifier == identifier }
  }

  public func accessories(ofApp app: String) -> [RegistryAccessory] { accessories.filter { $0.app == app } }

  /// Returns the app's accessory; nil if there is none or it belongs to another app, which callers cannot tell apart.
  public func accessory(_ identifier: RandomIdentifier, ofApp app: String) -> RegistryAccessory? {
    accessory(identifier).flatMap { $0.app == app ? $0 : nil }
  }

  /// Returns the app's accessory on the device with this identity.
  public func accessory(ofApp app: String, on identity: DeviceIdentity) -> RegistryAccessory? {
    guard let device = device(identity) else { return nil }
    return accessories.first { $0.app == app && $0.device == device.number }
  }

  /// Returns the accessories whose network gets another name with this one's: each app's on a device without Bluetooth.
  public func accessories(sharingNetworkOf accessory: RegistryAccessory) -> [RegistryAccessory] {
    guard device(of: accessory).identity.ssid != nil else { return [accessory] }
    return accessories.filter { $0.device == accessory.device }
  }

  public func device(_ identity: DeviceIdentity) -> RegistryDevice? { devices.first { $0.has(identity) } }

  public func device(of accessory: RegistryAccessory) -> RegistryDevice {
    guard let device = deviceRows[accessory.device] else {
      preconditionFailure("an accessory has a device")
    }
    return device
  }

  public func account(ofApp app: String) -> AccountID? { accounts.first { $0.app == app }?.account }

  /// Whether the device was removed from the app's item and has not been allowed again.
  public func isRemoved(_ identity: DeviceIdentity, app: String, item: String) -> Bool {
    tombstones.contains { $0.app == app && $0.item == item && $0.has(identity) }
  }

  /// All rows, table by table, each in the order of numbers; for exports and imports.
  public var rows: [RegistryRow] {
    accounts.map(RegistryRow.account) + devices.map(RegistryRow.device)
      + accessories.map(RegistryRow.accessory) + tombstones.map(RegistryRow.tombstone)
      + formers.map(RegistryRow.former) + bondRemovals.map(RegistryRow.bondRemoval)
  }

  public func row(_ table: RegistryTable, number: Int64) -> RegistryRow? {
    switch table {
    case .account: accountRows[number].map(RegistryRow.account)
    case .device: deviceRows[number].map(RegistryRow.device)
    case .accessory: accessoryRows[number].map(RegistryRow.accessory)
    case .tombstone: tombstoneRows[number].map(RegistryRow.tombstone)
    case .former: formerRows[number].map(RegistryRow.former)
    case .bondRemoval: bondRemovalRows[number].map(RegistryRow.bondRemoval)
    }
  }

  mutating func put(_ row: RegistryRow) {
    switch row {
    case .account(let account): accountRows.put(account)
    case .device(let device): deviceRows.put(device)
    case .accessory(let accessory): accessoryRows.put(accessory)
    case .tombstone(let tombstone): tombstoneRows.put(tombstone)
    case .former(let former): formerRows.put(former)
    case .bondRemoval(let removal): bondRemovalRows.put(removal)
    }
  }

  mutating func drop(_ table: RegistryTable, number: Int64) {
    switch table {
    case .account: accountRows.drop(number)
    case .device: deviceRows.drop(number)
    case .accessory: accessoryRows.drop(number)
    case .tombstone: tombstoneRows.drop(number)
    case .former: formerRows.drop(number)
    case .bondRemoval: bondRemovalRows.drop(number)
    }
  }

  /// Returns the next accessory after a number that satisfies `isWanted`.
  public func accessory(
    after last: Int64, where isWanted: (RegistryAccessory) -> Bool
  ) -> RegistryAccessory? {
    accessoryRows.rows[accessoryRows.index(after: last)...].first(where: isWanted)
  }

  /// Makes a change; if it cannot be made, throws the reason and leaves the registry unchanged. Devices that are written
  /// with it get their `rhythms`, by their settled addresses.
  @discardableResult
  public mutating func apply(
    _ change: RegistryChange, rhythms: [DeviceAddress: UInt32?] = [:]
  ) throws(RegistryError) -> RegistryOutcome {
    var edit = RegistryEdit(self)
    switch change {
    case .add(let addition): try edit.add(addition)
    case .migrate(let additions, let replaced): try edit.migrate(additions, replacing: replaced)
    case .remove(let identifier, let leavesTombstone):
      try edit.remove(identifier, leavesTombstone: leavesTombstone)
    case .rename(let identifier, let displayName, let ssid, let inactive):
      try edit.rename(identifier, displayName: displayName, ssid: ssid, inactive: inactive)
    case .setState(let identifier, let state): try edit.changeAccessory(identifier) { $0.state = state }
    case .authorize(let identifier, let ssid, let bridgingIdentifier):
      try edit.authorize(identifier, ssid: ssid, bridgingIdentifier: bridgingIdentifier)
    case .setSSID(let identifier, let ssid): try edit.setSSID(identifier, ssid)
    case .extend(let identifier, let extending): try edit.extend(identifier, extending)
    case .addAddress(let identifier, let address): try edit.addAddress(identifier, address)
    case .setBond(let identifier, let bond, let identity):
      try edit.setBond(identifier, bond, identity: identity)
    case .replaceDevice(let replacement): try edit.replaceDevice(replacement)
    case .setRhythms(let rhythms): try edit.setRhythms(rhythms)
    case .addBondRemoval(let address): try edit.addBondRemoval(address)
    case .endBondRemoval(let address): edit.endBondRemoval(address)
    case .allow(let app, let identity): try edit.allow(app: app, identity)
    case .confirmAccount(let app, let account): try edit.confirmAccount(app: app, account)
    }
    try edit.setRhythms(rhythms, ofWrittenDevices: true)
    self = edit.registry
    return edit.outcome
  }

  /// An item's name as the default name of a further accessory of an app: with a number when the app has an accessory
  /// of this name.
  ///
  /// Only the app's own accessories count, so that a number says nothing about other apps.
  public func numberedName(_ name: String, ofApp app: String) -> String {
    let taken = Set(accessories.lazy.filter { $0.app == app }.map { device(of: $0).displayName })
    var number = 1
    var numbered = name
    while taken.contains(numbered) {
      number += 1
      var stem = Substring(name)
      let suffix = " \(number)"
      while stem.utf8.count + suffix.utf8.count > RegistryLimits.textBytesMax { stem.removeLast() }
      numbered = stem + suffix
    }
    return numbered
  }

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

/// The capacity of a registry. Additions beyond it are refused; a new tombstone or former identifier replaces the oldest
/// of the app that has the most, a new removal of a bond the oldest.
public enum RegistryLimits {
  public static let accessoriesMax = 2_048
  public static let tombstonesMax = 1_024
  public static let formersMax = 256
  public static let bondRemovalsMax = 64
  /// The largest row number: JSON holds it exactly.
  public static let numberMax: Int64 = 1 << 53 - 1
  /// The longest app name, item id and device name (Core Specification 5.4, Volume 4, Part E, 6.23, has 248).
  public static let textBytesMax = 248
  public static let ssidBytesMax = 32
  /// The longest blob or name in a descriptor: the data of one AD structure.
  public static let clauseBytesMax = 254

  /// Returns the largest number of rows of a table. Each accessory adds at most one device and one account.
  public static func rowsMax(of table: RegistryTable) -> Int {
    switch table {
    case .account, .device, .accessory: accessoriesMax
    case .tombstone: tombstonesMax
    case .former: formersMax
    case .bondRemoval: bondRemovalsMax
    }
  }
}

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
