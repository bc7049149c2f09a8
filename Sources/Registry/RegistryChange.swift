// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// A change of a registry; it is made completely or not at all.
public enum RegistryChange: Equatable, Sendable {
  case add(RegistryAddition)
  /// Adds accessories that their app knew before. Those of `replacing` that are on the same devices give way to them:
  /// their items are no longer in the manifest.
  case migrate([RegistryAddition], replacing: Set<RandomIdentifier> = [])
  /// Removes the accessory from its app. With `leavesTombstone`, the device is not set up again by touch or
  /// automatically; an accessory whose item the app supplied leaves no tombstone. The app's identifier is kept as a
  /// former one.
  case remove(RandomIdentifier, leavesTombstone: Bool)
  /// Renames the device for every app and, with `ssid`, also the accessory's network. The network may get a name that
  /// accessories of `inactive` do not match: their apps do not use them.
  case rename(
    RandomIdentifier, displayName: String, ssid: [UInt8]? = nil, inactive: Set<RandomIdentifier> = [])
  case setState(RandomIdentifier, AccessoryState)
  /// Authorizes the accessory, with what its app learned about it.
  case authorize(RandomIdentifier, ssid: [UInt8]? = nil, bridgingIdentifier: UInt64? = nil)
  /// Sets the name of the accessory's network. For a device without Bluetooth this changes its identity, for every app.
  case setSSID(RandomIdentifier, [UInt8])
  /// Adds network clauses that the descriptor lacks, a second identity, or both.
  case extend(RandomIdentifier, RegistryExtension)
  /// Adds a second address of the accessory's device.
  case addAddress(RandomIdentifier, DeviceAddress)
  /// Sets the bond of the accessory's device; `identity` is the address that came with the keys.
  case setBond(RandomIdentifier, Bond, identity: DeviceAddress? = nil)
  /// Gives the accessory another device, for every app that has it.
  case replaceDevice(RegistryReplacement)
  /// Sets the rhythms of devices, by their settled addresses.
  case setRhythms([DeviceAddress: UInt32?])
  /// Stores that bluetoothd is to remove its bond with the device of this address.
  case addBondRemoval(DeviceAddress)
  /// bluetoothd has no bond any more with the device of this address.
  case endBondRemoval(DeviceAddress)
  /// Lets the app set up a removed device by touch or automatically again.
  case allow(app: String, DeviceIdentity)
  /// Records that an operator confirmed the account that owns the app's accessories.
  case confirmAccount(app: String, AccountID)

  /// Whether it writes keys of bonds, which are secret.
  public var carriesKeys: Bool {
    switch self {
    case .add(let addition): addition.bond.hasKeys
    case .migrate(let additions, _): additions.contains { $0.bond.hasKeys }
    case .setBond(_, let bond, _): bond.hasKeys
    case .replaceDevice(let replacement): replacement.bond.hasKeys
    case .remove, .rename, .setState, .authorize, .setSSID, .extend, .addAddress, .setRhythms,
      .addBondRemoval,
      .endBondRemoval, .allow, .confirmAccount:
      false
    }
  }
}

/// The values of a new accessory.
public struct RegistryAddition: Equatable, Sendable {
  /// How the name is used, depending on its origin.
  public enum Naming: Sendable {
    /// The item: a device that has a name keeps it, and further accessories of the app are numbered.
    case numbered
    /// The app: a device that has a name keeps it.
    case byApp
    /// An operator: the device gets it, for every app.
    case byOperator
  }

  public var app: String
  /// The account that may act as the app.
  public var account: AccountID
  public var item: String?
  public var descriptor: DiscoveryDescriptor
  /// The item's limit; nil if the app supplied the item.
  public var maxAccessories: UInt16?
  public var identity: DeviceIdentity
  public var isIdentityDurable = true
  /// A random value.
  public var identifier: RandomIdentifier
  /// A random value, or a former identifier of the app; unused for a device without Bluetooth.
  public var bluetoothIdentifier: RandomIdentifier
  public var displayName: String
  public var naming = Naming.numbered
  public var state = AccessoryState.authorized
  public var ssid: [UInt8]?
  /// As for ``RegistryAccessory``.
  public var wifiAwarePairedDeviceID: UInt64?
  /// Whether the accessory is set up by touch or automatically, which a tombstone prevents. An operator's choice
  /// removes the tombstone instead.
  public var isHandsFree = false
  public var addedAt: Int64?
  /// The bond that its pairing made; `.none` if it was not paired. A bond makes `identity` the device's identity address.
  public var bond = Bond.none
  /// Whether the device has to have a bond already: it was not paired because it had one.
  public var needsBond = false

  public init(
    app: String, account: AccountID, descriptor: DiscoveryDescriptor, identity: DeviceIdentity,
    identifier: RandomIdentifier, bluetoothIdentifier: RandomIdentifier, displayName: String
  ) {
    (self.app, self.account, self.descriptor, self.identity) = (app, account, descriptor, identity)
    (self.identifier, self.bluetoothIdentifier) = (identifier, bluetoothIdentifier)
    self.displayName = displayName
  }
}

/// Additions to the descriptor of an accessory; existing values are kept.
public struct RegistryExtension: Equatable, Sendable {
  public var ssid: [UInt8]?
  public var ssidPrefix: [UInt8]?
  public var wifiAware: WiFiAwareService?
  public var alternate: DiscoveryDescriptor?

  public init(
    ssid: [UInt8]? = nil, ssidPrefix: [UInt8]? = nil, wifiAware: WiFiAwareService? = nil,
    alternate: DiscoveryDescriptor? = nil
  ) {
    (self.ssid, self.ssidPrefix, self.wifiAware, self.alternate) = (ssid, ssidPrefix, wifiAware, alternate)
  }
}

/// The result of a change.
public struct RegistryOutcome: Equatable, Sendable {
  /// The steps to write; empty if the change altered nothing.
  public internal(set) var writes: [RegistryWrite] = []
  /// The device whose last accessory was removed: its bond must be deleted by the owner that its record names.
  public internal(set) var removedDevice: RegistryDevice?
  /// The oldest tombstone, if a new one replaced it.
  public internal(set) var forgotten: RegistryTombstone?
}

/// One step of writing a change; all steps of a change are written together or not at all.
public enum RegistryWrite: Equatable, Sendable {
  /// Writes a row, replacing the row with its number.
  case put(RegistryRow)
  case drop(RegistryTable, number: Int64)
}

/// Why a change was not made; the registry is unchanged.
public enum RegistryError: Error, Equatable, Sendable {
  /// No accessory has the identifier.
  case unknownAccessory
  /// The app has no accessories, so there is no account to confirm.
  case unknownApp
  /// The device was not removed from the app.
  case notRemoved
  /// The device is already an accessory of the app.
  case alreadyAdded(RandomIdentifier)
  /// The device was removed from the app and has not been allowed again.
  case removedBefore
  /// The app's accessories belong to another account until an operator confirms the new one.
  case accountChanged
  /// The item has reached its largest number of accessories.
  case itemFull(maxAccessories: UInt16)
  /// The registry has reached its capacity.
  case full
  /// The device was to have a bond already, which was removed meanwhile.
  case bondIsGone
  /// Another accessory has the random identifier: draw again.
  case identifierTaken
  /// Another device has the address or network name.
  case identityTaken
  /// Another app's accessory on the device would not be found by the network's new name.
  case networkNameNeeded
  /// A value of the change is invalid.
  case invalid(RegistryField)
}

/// A request to the store of the registry's file. Only the disk worker makes requests, because each may wait for the
/// disk. Exports are written from memory and need no request.
public enum RegistryRequest: Equatable, Sendable {
  /// Opens and reads the file; if it is open, closes it first.
  case open
  /// Writes the steps of one change durably.
  case commit([RegistryWrite])
  /// Replaces the stored registry with an imported one.
  case replace(AccessoryRegistry)
  /// Moves the file aside and creates a new one.
  case reset
  /// Writes the log back and closes the file, before the agent ends.
  case close
}

/// The reply to a request.
public enum RegistryReply: Equatable, Sendable {
  case opened(AccessoryRegistry)
  /// The file was read and is sound, but it cannot be written for now.
  case readable(AccessoryRegistry, RegistryStoreError)
  /// The change is on disk and survives a power cut.
  case done
  /// A new, empty registry is open; the old file is kept under the name `kept`, nil if there was none.
  case reset(kept: String?)
  /// The registry cannot be used until it is reset or repaired.
  case refused(RegistryOpenError)
  /// The request failed. With `isOpen`, the file is unchanged and can be written again. Otherwise the disk has the state
  /// before or after the request, which opening the file shows.
  case failed(RegistryStoreError, isOpen: Bool)
  case closed
}

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
    exhume(device.identity, app: accessory.app, item: item)
    if old.identity != device.identity { try bury(old, app: accessory.app, item: item) }
  }
}
