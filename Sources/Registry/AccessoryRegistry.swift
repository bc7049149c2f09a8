// SPDX-License-Identifier: GPL-3.0-or-later

/// Every grant there is: which devices are whose accessories.
///
/// It changes by ``apply(_:)`` only, which also says what is to be written to disk. Capacity: ``RegistryLimits``.
public struct AccessoryRegistry: Equatable, Sendable {
  var accountRows = NumberedRows<RegistryAccount>()
  var deviceRows = NumberedRows<RegistryDevice>()
  var accessoryRows = NumberedRows<RegistryAccessory>()
  var tombstoneRows = NumberedRows<RegistryTombstone>()

  public init() {}

  public var accounts: [RegistryAccount] { accountRows.rows }
  public var devices: [RegistryDevice] { deviceRows.rows }
  /// In the order in which they were added.
  public var accessories: [RegistryAccessory] { accessoryRows.rows }
  /// The oldest first.
  public var tombstones: [RegistryTombstone] { tombstoneRows.rows }

  public var isEmpty: Bool { accessories.isEmpty && tombstones.isEmpty }

  public func accessory(_ identifier: RandomIdentifier) -> RegistryAccessory? {
    accessories.first { $0.identifier == identifier }
  }

  public func accessories(ofApp app: String) -> [RegistryAccessory] { accessories.filter { $0.app == app } }

  /// An app's accessory, or nil when there is none or it is another app's: nobody can tell which.
  public func accessory(_ identifier: RandomIdentifier, ofApp app: String) -> RegistryAccessory? {
    accessory(identifier).flatMap { $0.app == app ? $0 : nil }
  }

  /// What an app's accessory is when its device is known by that.
  public func accessory(ofApp app: String, on identity: DeviceIdentity) -> RegistryAccessory? {
    guard let device = device(identity) else { return nil }
    return accessories.first { $0.app == app && $0.device == device.number }
  }

  public func device(_ identity: DeviceIdentity) -> RegistryDevice? { devices.first { $0.has(identity) } }

  public func device(of accessory: RegistryAccessory) -> RegistryDevice {
    guard let device = deviceRows[accessory.device] else {
      preconditionFailure("an accessory has a device")
    }
    return device
  }

  public func account(ofApp app: String) -> AccountID? { accounts.first { $0.app == app }?.account }

  /// Whether the device was removed from the app's item, and nobody has allowed it since.
  public func isRemoved(_ identity: DeviceIdentity, app: String, item: String) -> Bool {
    tombstones.contains { $0.app == app && $0.item == item && $0.has(identity) }
  }

  /// All rows, table by table, each in the order of numbers: what exports and imports go through.
  public var rows: [RegistryRow] {
    accounts.map(RegistryRow.account) + devices.map(RegistryRow.device)
      + accessories.map(RegistryRow.accessory) + tombstones.map(RegistryRow.tombstone)
  }

  public func row(_ table: RegistryTable, number: Int64) -> RegistryRow? {
    switch table {
    case .account: accountRows[number].map(RegistryRow.account)
    case .device: deviceRows[number].map(RegistryRow.device)
    case .accessory: accessoryRows[number].map(RegistryRow.accessory)
    case .tombstone: tombstoneRows[number].map(RegistryRow.tombstone)
    }
  }

  mutating func put(_ row: RegistryRow) {
    switch row {
    case .account(let account): accountRows.put(account)
    case .device(let device): deviceRows.put(device)
    case .accessory(let accessory): accessoryRows.put(accessory)
    case .tombstone(let tombstone): tombstoneRows.put(tombstone)
    }
  }

  mutating func drop(_ table: RegistryTable, number: Int64) {
    switch table {
    case .account: accountRows.drop(number)
    case .device: deviceRows.drop(number)
    case .accessory: accessoryRows.drop(number)
    case .tombstone: tombstoneRows.drop(number)
    }
  }
}

extension AccessoryRegistry {
  /// The next accessory behind a number.
  public func accessory(
    after last: Int64, where isWanted: (RegistryAccessory) -> Bool
  ) -> RegistryAccessory? {
    accessoryRows.rows[accessoryRows.place(after: last)...].first(where: isWanted)
  }
}
