// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest

/// A change on its way: a copy of the registry, and what was done to it. The copy is thrown away when the change turns
/// out not to be possible.
struct RegistryEdit {
  private(set) var registry: AccessoryRegistry
  var outcome = RegistryOutcome()

  init(_ registry: AccessoryRegistry) { self.registry = registry }

  // MARK: Rows

  /// Puts a row, if it can be stored and says something new.
  mutating func put(_ row: RegistryRow) throws(RegistryError) {
    if let field = row.problem { throw .invalid(field) }
    guard registry.row(row.table, number: row.number) != row else { return }
    registry.put(row)
    outcome.writes.append(.put(row))
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
    _ identifier: RandomIdentifier, displayName: String, ssid: [UInt8]?
  ) throws(RegistryError) {
    var device = registry.device(of: try accessory(identifier))
    device.displayName = displayName
    try put(.device(device))
    if let ssid { try setSSID(identifier, ssid) }
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

  /// The network of a device without Bluetooth is what it is known by, whoever looks at it.
  mutating func setSSID(_ identifier: RandomIdentifier, _ ssid: [UInt8]) throws(RegistryError) {
    let accessory = try accessory(identifier)
    var device = registry.device(of: accessory)
    guard device.identity.ssid != nil else {
      return try changeAccessory(identifier) { $0.ssid = ssid }
    }
    try requireFree(.network(ssid), for: device)
    device.identity = .network(ssid)
    try put(.device(device))
    for other in registry.accessories where other.device == device.number {
      try changeAccessory(other.identifier) { $0.ssid = ssid }
    }
  }

  mutating func extend(
    _ identifier: RandomIdentifier, _ extending: RegistryExtension
  ) throws(RegistryError) {
    let known = try accessory(identifier).descriptor
    guard known.ssid == nil || extending.ssid == nil || known.ssid == extending.ssid,
      known.ssidPrefix == nil || extending.ssidPrefix == nil || known.ssidPrefix == extending.ssidPrefix
    else { throw .invalid(.descriptor) }
    try changeAccessory(identifier) { accessory in
      if let ssid = extending.ssid { accessory.descriptor.ssid = ssid }
      if let prefix = extending.ssidPrefix { accessory.descriptor.ssidPrefix = prefix }
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
      if device.secondAddress == identity { device.secondAddress = nil }
      device.identity = .bluetooth(identity)
      device.isIdentityDurable = true
    }
    try put(.device(device))
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

  /// Two devices are never known by the same.
  private func requireFree(
    _ identity: DeviceIdentity, for device: RegistryDevice
  ) throws(RegistryError) {
    if let other = registry.device(identity), other.number != device.number { throw .identityTaken }
  }
}
