// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest

/// The device that an accessory gets in place of its own.
public struct RegistryReplacement: Equatable, Sendable {
  public var accessory: RandomIdentifier
  public var identity: DeviceIdentity
  public var isIdentityDurable = true
  /// The bond that pairing it has made; `.none` if it was not paired.
  public var bond = Bond.none
  /// The name of its network, where the accessory's descriptor has only the prefix and it is found by Bluetooth.
  public var ssid: [UInt8]?

  public init(of accessory: RandomIdentifier, by identity: DeviceIdentity) {
    (self.accessory, self.identity) = (accessory, identity)
  }
}

extension AccessoryRegistry {
  /// The accessories of a device, of all apps.
  public func accessories(on device: RegistryDevice) -> [RegistryAccessory] {
    accessories.filter { $0.device == device.number }
  }
}

extension RegistryEdit {
  /// Puts another device in the place of an accessory's: identifiers, name and states stay, for every app. The old device
  /// leaves tombstones, and a bond that bluetoothd is to remove if it has one; what was known of it alone goes.
  mutating func replaceDevice(_ replacement: RegistryReplacement) throws(RegistryError) {
    let old = registry.device(of: try accessory(replacement.accessory))
    let identity = replacement.identity
    guard (old.identity.address == nil) == (identity.address == nil) else { throw .invalid(.identity) }
    try requireFree(identity, for: old)
    var device = old
    device.identity = identity
    device.secondAddress = nil
    device.isIdentityDurable = replacement.isIdentityDurable || replacement.bond != .none
    device.bond = replacement.bond
    device.rhythmMilliseconds = nil
    try put(.device(device))
    for accessory in registry.accessories(on: device) { try adapt(accessory, to: device, replacement, old) }
    if let address = old.addressWithBluetoothd, address != identity.address { try addBondRemoval(address) }
  }

  /// Gives an accessory what its new device has. A tombstone of that device goes, because an operator has chosen it.
  private mutating func adapt(
    _ accessory: RegistryAccessory, to device: RegistryDevice, _ replacement: RegistryReplacement,
    _ old: RegistryDevice
  ) throws(RegistryError) {
    if let ssid = device.identity.ssid, !accessory.descriptor.matches(network: ssid) {
      throw .networkNameNeeded
    }
    let given = accessory.identifier == replacement.accessory ? replacement.ssid : nil
    try changeAccessory(accessory.identifier) { accessory in
      accessory.ssid = device.identity.ssid ?? accessory.descriptor.ssid ?? given
      (accessory.bridgingIdentifier, accessory.wifiAwarePairedDeviceID) = (nil, nil)
      accessory.setBridgingIdentifier(of: device)
    }
    guard let item = accessory.item else { return }
    for tombstone in registry.tombstones
    where tombstone.app == accessory.app && tombstone.item == item && tombstone.has(device.identity) {
      drop(.tombstone, number: tombstone.number)
    }
    if old.identity != device.identity { try bury(old, app: accessory.app, item: item) }
  }
}
