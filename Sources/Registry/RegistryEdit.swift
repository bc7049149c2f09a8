// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest

/// A change in progress: a copy of the registry, and the edits made to it. If the change is impossible, the copy is
/// discarded.
struct RegistryEdit {
  private(set) var registry: AccessoryRegistry
  var outcome = RegistryOutcome()

  init(_ registry: AccessoryRegistry) { self.registry = registry }

  // MARK: Rows

  /// Stores a row if it is valid and differs from the stored one.
  mutating func put(_ row: RegistryRow) throws(RegistryError) {
    if let field = row.problem { throw .invalid(field) }
    guard registry.row(row.table, number: row.number) != row else { return }
    registry.put(row)
    outcome.writes.append(.put(row))
    keepNewBond(of: row)
  }

  mutating func drop(_ table: RegistryTable, number: Int64) {
    registry.drop(table, number: number)
    outcome.writes.append(.drop(table, number: number))
  }

  func accessory(_ identifier: RandomIdentifier) throws(RegistryError) -> RegistryAccessory {
    guard let accessory = registry.accessory(identifier) else { throw .unknownAccessory }
    return accessory
  }

  mutating func changeAccessory(
    _ identifier: RandomIdentifier, _ body: (inout RegistryAccessory) -> Void
  ) throws(RegistryError) {
    var accessory = try accessory(identifier)
    body(&accessory)
    try put(.accessory(accessory))
  }

  // MARK: Changes

  mutating func rename(
    _ identifier: RandomIdentifier, displayName: String, ssid: [UInt8]?, inactive: Set<RandomIdentifier>
  ) throws(RegistryError) {
    var device = registry.device(of: try accessory(identifier))
    device.displayName = displayName
    try put(.device(device))
    if let ssid { try setSSID(identifier, ssid, inactive: inactive) }
  }

  mutating func authorize(
    _ identifier: RandomIdentifier, ssid: [UInt8]?, bridgingIdentifier: UInt64?
  ) throws(RegistryError) {
    if let ssid { try setSSID(identifier, ssid) }
    try changeAccessory(identifier) { accessory in
      accessory.state = .authorized
      if let bridgingIdentifier { accessory.bridgingIdentifier = bridgingIdentifier }
    }
  }

  /// Sets the name of a network. For a device without Bluetooth it is the identity, for every app, and has to fit what
  /// each of them looks for, except those of `inactive`.
  mutating func setSSID(
    _ identifier: RandomIdentifier, _ ssid: [UInt8], inactive: Set<RandomIdentifier> = []
  ) throws(RegistryError) {
    let accessory = try accessory(identifier)
    var device = registry.device(of: accessory)
    guard device.identity.ssid != nil else {
      return try changeAccessory(identifier) { $0.ssid = ssid }
    }
    let sharing = registry.accessories(sharingNetworkOf: accessory)
    let spared = inactive.union([identifier])
    guard sharing.allSatisfy({ spared.contains($0.identifier) || $0.descriptor.matches(network: ssid) })
    else { throw .networkNameNeeded }
    try requireFree(.network(ssid), for: device)
    device.identity = .network(ssid)
    try put(.device(device))
    for other in sharing { try changeAccessory(other.identifier) { $0.ssid = ssid } }
  }

  mutating func extend(
    _ identifier: RandomIdentifier, _ extending: RegistryExtension
  ) throws(RegistryError) {
    let known = try accessory(identifier).descriptor
    guard known.ssid == nil || extending.ssid == nil || known.ssid == extending.ssid,
      known.ssidPrefix == nil || extending.ssidPrefix == nil || known.ssidPrefix == extending.ssidPrefix,
      known.wifiAware == nil || extending.wifiAware == nil || known.wifiAware == extending.wifiAware
    else { throw .invalid(.descriptor) }
    try changeAccessory(identifier) { accessory in
      if let ssid = extending.ssid { accessory.descriptor.ssid = ssid }
      if let prefix = extending.ssidPrefix { accessory.descriptor.ssidPrefix = prefix }
      if let service = extending.wifiAware { accessory.descriptor.wifiAware = service }
      if let alternate = extending.alternate { accessory.alternate = alternate }
    }
    if let ssid = extending.ssid { try setSSID(identifier, ssid) }
  }

  mutating func addAddress(
    _ identifier: RandomIdentifier, _ address: DeviceAddress
  ) throws(RegistryError) {
    var device = registry.device(of: try accessory(identifier))
    guard !device.has(.bluetooth(address)) else { return }
    try requireFree(.bluetooth(address), for: device)
    device.secondAddress = address
    try put(.device(device))
  }

  mutating func setBond(
    _ identifier: RandomIdentifier, _ bond: Bond, identity: DeviceAddress?
  ) throws(RegistryError) {
    var device = registry.device(of: try accessory(identifier))
    guard device.identity.address != nil else { throw .invalid(.bond) }
    device.bond = bond
    if let identity {
      try requireFree(.bluetooth(identity), for: device)
      device.setIdentity(.bluetooth(identity))
    }
    try putBonded(device)
  }

  /// Sets the rhythms of devices; `ofWrittenDevices` only where the change writes the device or an accessory of it.
  mutating func setRhythms(
    _ rhythms: [DeviceAddress: UInt32?], ofWrittenDevices: Bool = false
  ) throws(RegistryError) {
    guard !rhythms.isEmpty else { return }
    let written = Set(outcome.writes.compactMap(\.device))
    for var device in registry.devices where !ofWrittenDevices || written.contains(device.number) {
      guard let rhythm = device.rhythm(in: rhythms) else { continue }
      device.rhythmMilliseconds = rhythm
      try put(.device(device))
    }
  }

  /// Stores a device with a new bond, whose accessories then have its classic address. What an app gave stays.
  private mutating func putBonded(_ device: RegistryDevice) throws(RegistryError) {
    try put(.device(device))
    for accessory in registry.accessories
    where accessory.device == device.number && accessory.bridgingIdentifier == nil {
      try changeAccessory(accessory.identifier) { $0.setBridgingIdentifier(of: device) }
    }
  }

  mutating func allow(app: String, _ identity: DeviceIdentity) throws(RegistryError) {
    let tombstones = registry.tombstones.filter { $0.app == app && $0.has(identity) }
    guard !tombstones.isEmpty else { throw .notRemoved }
    for tombstone in tombstones { drop(.tombstone, number: tombstone.number) }
  }

  mutating func confirmAccount(app: String, _ account: AccountID) throws(RegistryError) {
    guard var row = registry.accounts.first(where: { $0.app == app }) else { throw .unknownApp }
    row.account = account
    try put(.account(row))
  }

  /// Throws if another device already has this identity.
  func requireFree(
    _ identity: DeviceIdentity, for device: RegistryDevice
  ) throws(RegistryError) {
    if let other = registry.device(identity), other.number != device.number { throw .identityTaken }
  }

  mutating func add(_ addition: RegistryAddition) throws(RegistryError) {
    try requireAddable(addition)
    forgetFormer(addition.bluetoothIdentifier)
    let device = try device(of: addition)
    var accessory = RegistryAccessory(
      number: registry.accessoryRows.nextNumber, identifier: addition.identifier, app: addition.app,
      descriptor: addition.descriptor, device: device.number, state: addition.state)
    accessory.item = addition.item
    accessory.bluetoothIdentifier = device.identity.address.map { _ in addition.bluetoothIdentifier }
    accessory.ssid = device.identity.ssid ?? addition.ssid
    accessory.wifiAwarePairedDeviceID = addition.wifiAwarePairedDeviceID
    accessory.setBridgingIdentifier(of: device)
    accessory.addedAt = addition.addedAt
    try put(.accessory(accessory))
    if registry.account(ofApp: addition.app) == nil {
      try put(
        .account(
          RegistryAccount(
            number: registry.accountRows.nextNumber, app: addition.app, account: addition.account)))
    }
    if let item = addition.item { exhume(addition.identity, app: addition.app, item: item) }
  }

  /// Returns the known device with this identity, or adds a new one.
  private mutating func device(of addition: RegistryAddition) throws(RegistryError) -> RegistryDevice {
    if var known = registry.device(addition.identity) {
      if addition.naming == .byOperator { known.displayName = addition.displayName }
      if addition.bond != .none {
        // The pairing's newer keys replace those that the device had for another app.
        known.bond = addition.bond
        known.setIdentity(addition.identity)
      }
      try putBonded(known)
      return known
    }
    let displayName =
      addition.naming == .numbered
      ? registry.numberedName(addition.displayName, ofApp: addition.app) : addition.displayName
    var device = RegistryDevice(
      number: registry.deviceRows.nextNumber, identity: addition.identity, displayName: displayName,
      isIdentityDurable: addition.isIdentityDurable || addition.bond != .none)
    device.bond = addition.bond
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
    if addition.needsBond, (registry.device(addition.identity)?.bond ?? Bond.none) == Bond.none {
      throw .bondIsGone
    }
    try requireCapacity(for: addition)
    guard !areTaken(addition.identifier, addition.bluetoothIdentifier) else { throw .identifierTaken }
  }

  private func requireCapacity(for addition: RegistryAddition) throws(RegistryError) {
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

  /// Removes an accessory; with the last accessory of a device, the device and its bond, which bluetoothd is to remove if
  /// it is bluetoothd's; with the last one of an app, its account.
  mutating func remove(
    _ identifier: RandomIdentifier, leavesTombstone: Bool
  ) throws(RegistryError) {
    let accessory = try accessory(identifier)
    let device = registry.device(of: accessory)
    drop(.accessory, number: accessory.number)
    try keepIdentifier(of: accessory, on: device)
    if leavesTombstone, let item = accessory.item { try bury(device, app: accessory.app, item: item) }
    if !registry.accessories.contains(where: { $0.device == device.number }) {
      drop(.device, number: device.number)
      outcome.removedDevice = device
      if let address = device.addressWithBluetoothd { try addBondRemoval(address) }
    }
    if !registry.accessories.contains(where: { $0.app == accessory.app }),
      let account = registry.accounts.first(where: { $0.app == accessory.app })
    {
      drop(.account, number: account.number)
    }
  }

  /// Drops the tombstones of a device that an app's item has again.
  mutating func exhume(_ identity: DeviceIdentity, app: String, item: String) {
    for tombstone in registry.tombstones
    where tombstone.app == app && tombstone.item == item && tombstone.has(identity) {
      drop(.tombstone, number: tombstone.number)
    }
  }

  mutating func bury(_ device: RegistryDevice, app: String, item: String) throws(RegistryError) {
    guard !registry.isRemoved(device.identity, app: app, item: item) else { return }
    if registry.tombstones.count >= RegistryLimits.tombstonesMax,
      let oldest = registry.tombstoneRows.rowToReplace(for: app)
    {
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

extension RegistryAccessory {
  /// Sets the address of the device on the classic transport, if the app's item has both.
  mutating func setBridgingIdentifier(of device: RegistryDevice) {
    guard descriptor.supportedOptions.contains(.bluetoothTransportBridging) else { return }
    bridgingIdentifier = device.classicAddress
  }
}

extension RegistryWrite {
  /// The number of the device that is written, or whose accessory is.
  fileprivate var device: Int64? {
    switch self {
    case .put(.device(let device)): device.number
    case .put(.accessory(let accessory)): accessory.device
    case .put, .drop: nil
    }
  }
}
