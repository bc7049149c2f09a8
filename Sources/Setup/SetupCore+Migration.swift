// SPDX-License-Identifier: GPL-3.0-or-later

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
  public let source: MigrationSource
  /// The device's address, or its network's name; nil for an address of which only BlueZ knows the type.
  public fileprivate(set) var identity: DeviceIdentity?
  /// bluetoothd has a bond with it.
  fileprivate var isBonded = false
  /// The whole name of its network, beside an address; nil when the app gave none.
  public var network: [UInt8]?
  /// What Wi-Fi Aware calls it; nil when the app did not say.
  public var wifiAwarePairedDeviceID: UInt64?

  public init(_ source: MigrationSource, _ identity: DeviceIdentity?) {
    (self.source, self.identity) = (source, identity)
  }

  /// The identifier that the app had for it, and gets again; nil when it named the address or the network.
  var identifier: RandomIdentifier? {
    if case .identifier(let identifier) = source { identifier } else { nil }
  }

  /// The address in 48 bits; nil for a network.
  public var bits: UInt64? { if case .address(let bits) = source { bits } else { identity?.address?.bits } }

  /// The network's name; nil for a device.
  public var ssid: [UInt8]? { if case .network(let name) = source { name } else { nil } }

  /// Looks up what only BlueZ knows: the type of an address, and whether bluetoothd has a bond with the device.
  fileprivate mutating func identify(among known: KnownDevices) throws(SetupError) {
    guard case .address(let bits) = source else { return }
    let address = try known.address(bits)
    identity = .bluetooth(address)
    isBonded = known.bonded.contains(address)
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
    (self.addresses, self.bonded, self.failure) = (addresses, bonded, failure)
  }

  fileprivate func address(_ bits: UInt64) throws(SetupError) -> DeviceAddress {
    let field = "items"
    let found = Set(addresses.filter { $0.bits == bits })
    guard let address = found.first else {
      let text = AddressText.text(of: bits)
      if let failure {
        throw .invalid(
          field, "the type of the address \(text) is not known: \(failure)",
          cure: "start bluetoothd, or name the device with an identifier that the app had for it")
      }
      throw .invalid(
        field, "BlueZ knows no device with the address \(text)",
        cure: "accessoryctl migrate lists the devices that it knows; set this one up with a picker instead")
    }
    guard found.count == 1 else {
      throw .invalid(
        field, "BlueZ knows a public and a random device with the address \(AddressText.text(of: bits))",
        cure: "remove the wrong one with bluetoothctl remove, or set this one up with a picker")
    }
    return address
  }
}

// MARK: - What is to be migrated

extension SetupCore {
  /// Returns the device that an item of the app names. `field` is the item's field, for errors. What is returned depends
  /// only on what is the app's: devices of others are looked up when an operator agrees. A failure in the result is about
  /// this device alone: the item is left out.
  public func migratedDevice(
    _ source: MigrationSource, ofApp app: String, field: String
  ) throws(SetupError) -> Result<MigratedDevice, SetupError> {
    try requireRegistry()
    if let failure = accountFailure(ofApp: app) { throw failure }
    let device: MigratedDevice
    switch source {
    case .identifier(let identifier):
      guard let address = address(ofApp: app, with: identifier) else {
        return .failure(.unknownFormer(field))
      }
      device = MigratedDevice(source, .bluetooth(address))
    case .address: device = MigratedDevice(source, nil)
    case .network(let name): device = MigratedDevice(source, .network(name))
    }
    if let accessory = accessory(ofApp: app, on: device) {
      return .failure(.isAccessory(field, name: registry.device(of: accessory).displayName))
    }
    return .success(device)
  }

  /// The app's accessory that the device is already; nil when it is none, or is inert.
  private func accessory(ofApp app: String, on device: MigratedDevice) -> RegistryAccessory? {
    registry.accessories(ofApp: app).first { accessory in
      let known = registry.device(of: accessory)
      let isSame =
        device.bits.map { bits in
          [known.identity.address, known.secondAddress].contains { $0?.bits == bits }
        } ?? (known.identity.ssid == device.ssid)
      return isSame && status(of: accessory) == .active
    }
  }

  /// The address of a device that was removed, or whose item is no longer in the manifest.
  private func address(ofApp app: String, with identifier: RandomIdentifier) -> DeviceAddress? {
    if let former = registry.former(identifier, ofApp: app) { return former.address }
    let accessory = registry.accessories(ofApp: app).first { $0.bluetoothIdentifier == identifier }
    return accessory.flatMap { registry.device(of: $0).identity.address }
  }

  private mutating func addition(
    migrating device: MigratedDevice, _ identity: DeviceIdentity, _ item: PickerItem, app: String
  ) -> RegistryAddition? {
    guard
      var addition = addition(
        app: app, item, identity, random.draw(), name: item.item.name, network: device.network)
    else { return nil }
    let identity = addition.identity
    let present = registry.accessory(ofApp: app, on: identity)
    // The app knew the device before: there is nothing to confirm.
    addition.state = .authorized
    addition.wifiAwarePairedDeviceID = device.wifiAwarePairedDeviceID
    addition.bluetoothIdentifier =
      device.identifier ?? present?.bluetoothIdentifier ?? addition.bluetoothIdentifier
    if device.isBonded { takeBond(of: identity, for: item.item, &addition) }
    return addition
  }

  /// Takes over that bluetoothd has a bond with the device, of which no key and no method is known. A bond in the registry
  /// is kept.
  private func takeBond(
    of identity: DeviceIdentity, for item: DisplayItem, _ addition: inout RegistryAddition
  ) {
    let known = registry.device(identity.settled)?.bond
    guard known?.record == nil, item.descriptor.supportedOptions.contains(.bluetoothPairingLE) else { return }
    addition.bond = .bonded(BondRecord(owner: .bluetoothd, isAuthenticated: false, keys: BondKeys()))
  }

  /// Whether an operator can only agree to the request once the devices that BlueZ knows were read.
  public func needsKnownDevices(toAgreeTo request: String) -> Bool {
    guard let flow = try? openRequest(request), flow.state == .asking else { return false }
    return flow.picker?.migrations.contains { $0.migration?.identity == nil } ?? false
  }

  /// Adds the devices of a picker's migration items for an operator who agrees. An address that BlueZ does not know is
  /// left out, unless no item is left.
  mutating func agreeToMigration(
    _ flow: SetupFlow, _ migrations: [PickerItem], among known: KnownDevices, _ call: CallID
  ) {
    var additions: [RegistryAddition] = []
    var unknown: SetupError?
    var leftOut = 0
    defer {
      if let unknown { log(.migrationLeftOut(app: flow.app, reason: unknown.reason, count: leftOut)) }
    }
    let orphaned = registry.accessories(ofApp: flow.app).filter { status(of: $0) == .orphaned }
    for item in migrations {
      // The device may have become the app's accessory in another way.
      guard var device = item.migration, accessory(ofApp: flow.app, on: device) == nil else { continue }
      do throws(SetupError) { try device.identify(among: known) } catch {
        unknown = error
        leftOut += 1
        continue
      }
      guard let identity = device.identity,
        let addition = addition(migrating: device, identity, item, app: flow.app)
      else { return refuseMigration(flow, .accountIsUnknown, call) }
      if let failure = reasonBondIsRefused(of: addition, item.item) {
        return refuseMigration(flow, failure, call)
      }
      additions.append(addition)
    }
    if let unknown, additions.isEmpty { return refuseMigration(flow, unknown, call) }
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

extension SetupError {
  fileprivate static func unknownFormer(_ field: String) -> Self {
    invalid(
      field, "the app has had no accessory with this identifier",
      cure: "use a bluetoothIdentifier that the app had, or 00000000-0000-0000-0000- and an address; "
        + "accessoryctl registry show lists the identifiers that apps had")
  }

  fileprivate static func isAccessory(_ field: String, name: String) -> Self {
    invalid(
      field, "the device is an accessory of the app already, \(name.quotedForDisplay)",
      cure: "leave the item out; List returns the app's accessories")
  }
}
