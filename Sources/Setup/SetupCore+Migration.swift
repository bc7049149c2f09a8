// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Manifest
public import Registry

// Migration: an app becomes the user of devices that it knew before, once an operator agrees.

/// What an item names the device with that it migrates.
public enum MigrationSource: Equatable, Sendable {
  /// An identifier that the app had for the device.
  case identifier(RandomIdentifier)
  /// The address of a device that BlueZ knows, in the low 48 bits.
  case address(UInt64)
  /// The whole name of a network that the app joined before.
  case network([UInt8])

  /// Reads the 128 bits of a UUID: `00000000-0000-0000-0000-AABBCCDDEEFF` is an address. Identifiers are random.
  public init(_ bits: RandomIdentifier) {
    self = bits.high == 0 && bits.low >> 48 == 0 ? .address(bits.low) : .identifier(bits)
  }
}

/// A device that an item migrates.
public struct MigratedDevice: Equatable, Sendable {
  /// The device's address, or its network's name.
  public let identity: DeviceIdentity
  /// The identifier that the app had for it, and gets again; nil when it named the address or the network.
  public let identifier: RandomIdentifier?
  /// bluetoothd has a bond with it.
  public let isBonded: Bool
  /// The whole name of its network, beside an address; nil when the app gave none.
  public var network: [UInt8]?
  /// What Wi-Fi Aware calls it; nil when the app did not say.
  public var wifiAwarePairedDeviceID: UInt64?

  public init(_ identity: DeviceIdentity, identifier: RandomIdentifier? = nil, isBonded: Bool = false) {
    self.identity = identity
    self.identifier = identifier
    self.isBonded = isBonded
  }
}

/// The devices that BlueZ knows, as it reported them last.
public struct KnownDevices: Equatable, Sendable {
  public var addresses: [DeviceAddress]
  /// Those that the bluetoothd that runs has a bond with.
  public var bonded: Set<DeviceAddress>
  /// Why they could not be read, as the second half of a sentence; nil when they were.
  public var failure: String?

  public init(_ addresses: [DeviceAddress], bonded: Set<DeviceAddress> = [], failure: String? = nil) {
    self.addresses = addresses
    self.bonded = bonded
    self.failure = failure
  }
}

// MARK: - What is to be migrated

extension SetupCore {
  /// Returns the device that an item of the app names. `field` is the item's field, for errors.
  public func migratedDevice(
    _ source: MigrationSource, ofApp app: String, field: String, among known: KnownDevices
  ) throws(SetupError) -> MigratedDevice {
    try requireRegistry()
    if let failure = accountFailure(ofApp: app) { throw failure }
    let device: MigratedDevice
    switch source {
    case .identifier(let identifier):
      guard let address = address(ofApp: app, with: identifier) else { throw .unknownFormer(field) }
      device = MigratedDevice(.bluetooth(address), identifier: identifier)
    case .address(let bits):
      let address = try known.address(bits, field: field)
      device = MigratedDevice(.bluetooth(address), isBonded: known.bonded.contains(address))
    case .network(let name): device = MigratedDevice(.network(name))
    }
    if let accessory = registry.accessory(ofApp: app, on: device.identity),
      status(of: accessory) == .active
    {
      throw .isAccessory(field, name: registry.device(of: accessory).displayName)
    }
    return device
  }

  /// The address of a device that was removed, or whose item is no longer in the manifest.
  private func address(ofApp app: String, with identifier: RandomIdentifier) -> DeviceAddress? {
    if let former = registry.former(identifier, ofApp: app) { return former.address }
    let accessory = registry.accessories(ofApp: app).first { $0.bluetoothIdentifier == identifier }
    return accessory.flatMap { registry.device(of: $0).identity.address }
  }

  /// Whether the device of a migration item has become the app's accessory in another way.
  private func isAccessory(_ item: PickerItem, ofApp app: String) -> Bool {
    guard let identity = item.migration?.identity,
      let accessory = registry.accessory(ofApp: app, on: identity)
    else { return false }
    return status(of: accessory) == .active
  }

  private mutating func addition(migrating item: PickerItem, app: String) -> RegistryAddition? {
    guard let device = item.migration,
      var addition = addition(
        app: app, item, device.identity, random.draw(), name: item.item.name, network: device.network)
    else { return nil }
    let identity = addition.identity
    let present = registry.accessory(ofApp: app, on: identity)
    // The app knew the device before: there is nothing to confirm.
    addition.state = .authorized
    addition.wifiAwarePairedDeviceID = device.wifiAwarePairedDeviceID
    addition.bluetoothIdentifier =
      device.identifier ?? present?.bluetoothIdentifier ?? addition.bluetoothIdentifier
    if device.isBonded { takeBond(of: device, for: item.item, &addition) }
    return addition
  }

  /// Takes over that bluetoothd has a bond with the device, of which no key and no method is known. A bond in the registry
  /// is kept.
  private func takeBond(of device: MigratedDevice, for item: DisplayItem, _ addition: inout RegistryAddition)
  {
    let known = registry.device(device.identity.settled)?.bond
    guard known?.record == nil, item.descriptor.supportedOptions.contains(.bluetoothPairingLE) else { return }
    addition.bond = .bonded(BondRecord(owner: .bluetoothd, isAuthenticated: false, keys: BondKeys()))
  }
}

// MARK: - The operator's answer

extension SetupCore {
  /// Adds the devices of a picker's migration items for an operator who agrees.
  mutating func agreeToMigration(
    _ flow: SetupFlow, _ migrations: [PickerItem], _ call: CallID
  ) {
    var additions: [RegistryAddition] = []
    let orphaned = registry.accessories(ofApp: flow.app).filter { status(of: $0) == .orphaned }
    for item in migrations where !isAccessory(item, ofApp: flow.app) {
      guard let addition = addition(migrating: item, app: flow.app) else {
        return refuseMigration(flow, .accountIsUnknown, call)
      }
      if let failure = reasonBondIsRefused(of: addition, item.item) {
        return refuseMigration(flow, failure, call)
      }
      additions.append(addition)
    }
    change(flow.id) { $0.write() }
    let replaced = Set(orphaned.map(\.identifier))
    enqueue(.apply(.migrate(additions, replacing: replaced)), .migration(flow: flow.id, call))
  }

  private mutating func refuseMigration(_ flow: SetupFlow, _ failure: SetupError, _ call: CallID) {
    reply(call, .failure(.setupFailed(failure)))
    change(flow.id) { $0.finish(failure) }
  }

  /// Returns why a device's bond is not what an item demands; nil when it is, or for a network. A migration pairs nothing.
  private func reasonBondIsRefused(of addition: RegistryAddition, _ item: DisplayItem) -> SetupError? {
    guard item.pairing == .authenticated, addition.identity.address != nil else { return nil }
    if let known = registry.device(addition.identity)?.bond.record {
      return known.isAuthenticated ? nil : .bondIsNotAuthenticated
    }
    return addition.bond == .none ? .migrationPairsNothing : .bondIsUnproven
  }

  /// Ends the picker after the migration was written, or was not.
  mutating func migrationWasWritten(_ id: RandomIdentifier, _ call: CallID, _ result: ChangeResult) {
    replyToOperator(call, result)
    change(id) { flow in
      if let failure = result.setupFailure { return flow.finish(failure) }
      return flow.completeMigration()
    }
  }
}

extension KnownDevices {
  fileprivate func address(_ bits: UInt64, field: String) throws(SetupError) -> DeviceAddress {
    let found = Set(addresses.filter { $0.bits == bits })
    guard let address = found.first else {
      let text = AddressText.text(of: bits)
      if let failure {
        throw SetupError(
          .invalidRequest, field: field, "the type of the address \(text) is not known: \(failure)",
          cure: "start bluetoothd, or name the device with an identifier that the app had for it")
      }
      throw SetupError(
        .invalidRequest, field: field, "BlueZ knows no device with the address \(text)",
        cure: "accessoryctl migrate lists the devices that it knows; set this one up with a picker instead")
    }
    guard found.count == 1 else {
      throw SetupError(
        .invalidRequest, field: field,
        "BlueZ knows a public and a random device with the address \(AddressText.text(of: bits))",
        cure: "remove the wrong one with bluetoothctl remove, or set this one up with a picker")
    }
    return address
  }
}

extension SetupError {
  fileprivate static func unknownFormer(_ field: String) -> Self {
    Self(
      .invalidRequest, field: field, "the app has had no accessory with this identifier",
      cure: "use a bluetoothIdentifier that the app had, or 00000000-0000-0000-0000- and an address; "
        + "accessoryctl registry show lists the identifiers that apps had")
  }

  fileprivate static func isAccessory(_ field: String, name: String) -> Self {
    Self(
      .invalidRequest, field: field,
      "the device is an accessory of the app already, \(name.quotedForDisplay)",
      cure: "leave the item out; List returns the app's accessories")
  }
}
