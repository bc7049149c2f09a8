// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
@_exported public import Values

/// The result of pairing with a device. It belongs to the device and is the same for all apps.
public enum Bond: Equatable, Sendable {
  case none
  case bonded(BondRecord)
  /// The device, or the owner of the bond, no longer has its keys. The device's identity key stays good.
  case lost(BondRecord)

  public var isBonded: Bool { if case .bonded = self { true } else { false } }

  /// What is known about the bond, lost or not.
  public var record: BondRecord? {
    switch self {
    case .none: nil
    case .bonded(let record), .lost(let record): record
    }
  }

  /// Whether it has keys, which are secret.
  public var hasKeys: Bool { record.map { $0.keys != BondKeys() } ?? false }
}

/// A bond as the registry stores it.
public struct BondRecord: Equatable, Sendable {
  public var owner: BondOwner
  /// Whether a person compared or typed a number, so that no third device can be in between (Core Specification 5.4,
  /// Volume 3, Part H, 2.3.1).
  public var isAuthenticated: Bool
  public var keys: BondKeys
  /// How many bytes the keys have that bluetoothd keeps; nil if it is not known, and for keys of the gateway, which have
  /// their sizes with them.
  public var foreignKeyByteCount: UInt8?
  /// Whether bluetoothd keeps a key for BR/EDR, too.
  public var hasForeignLinkKey = false

  public init(
    owner: BondOwner, isAuthenticated: Bool, keys: BondKeys = BondKeys(), foreignKeyByteCount: UInt8? = nil
  ) {
    (self.owner, self.isAuthenticated, self.keys) = (owner, isAuthenticated, keys)
    self.foreignKeyByteCount = foreignKeyByteCount
  }

  /// Whether there is a key for BR/EDR, with the gateway or with bluetoothd.
  public var hasLinkKey: Bool { keys.linkKey != nil || hasForeignLinkKey }

  /// Whether a registry may hold the record.
  public var isStorable: Bool {
    guard keys.areStorable, !hasForeignLinkKey || owner == .bluetoothd else { return false }
    guard let count = foreignKeyByteCount else { return true }
    return owner == .bluetoothd && LongTermKey.byteCounts.contains(count)
  }
}

extension BondKeys {
  /// The key with which a scanner recognises the device; `identity` is the device's identity address.
  public func identityKey(of identity: DeviceAddress) -> IdentityKey? {
    identityKey.map { IdentityKey(key: $0.block, identity: identity) }
  }
}

/// A bond that bluetoothd must delete because no accessory uses it. Stored until bluetoothd has deleted it, or an
/// accessory uses it again.
///
/// Capacity: ``RegistryLimits/bondRemovalsMax``; the oldest gives way.
public struct BondRemoval: Equatable, Sendable, NumberedRow {
  public var number: Int64
  /// The device's identity address, or the address that bluetoothd knows the device by.
  public var address: DeviceAddress

  public init(number: Int64, address: DeviceAddress) { (self.number, self.address) = (number, address) }
}

extension AccessoryRegistry {
  func bondRemoval(of address: DeviceAddress) -> BondRemoval? { bondRemovals.first { $0.address == address } }

  /// The bonds that bluetoothd would keep for no accessory if `new` replaced this registry.
  public func bondsLeftToBluetoothd(by new: AccessoryRegistry) -> [DeviceAddress] {
    let kept = Set(new.devices.compactMap(\.addressWithBluetoothd))
    return (bondRemovals.map(\.address) + devices.compactMap(\.addressWithBluetoothd)).filter {
      !kept.contains($0) && new.bondRemoval(of: $0) == nil
    }
  }

  public var keyedDeviceCount: Int { devices.count(where: \.hasKeys) }

  /// A device whose keys would go if `new` replaced this registry.
  public func keyedDevice(missingIn new: AccessoryRegistry) -> RegistryDevice? {
    let kept = Set(new.devices.map(\.identity))
    return devices.first { $0.hasKeys && !kept.contains($0.identity) }
  }

  /// Keeps the bonds of the registry that this one is to replace. `takesKeys` says whether keys that this one brings
  /// replace those that are stored: it came from a client that may handle keys. Otherwise it brings no bond, and none that
  /// bluetoothd must delete.
  public mutating func keepBonds(of old: AccessoryRegistry, takesKeys: Bool) {
    if !takesKeys {
      for removal in bondRemovals where old.bondRemoval(of: removal.address) == nil {
        drop(.bondRemoval, number: removal.number)
      }
    }
    for var device in devices where !(takesKeys && device.hasKeys) {
      let stored = old.devices.first { $0.identity == device.identity }?.bond ?? .none
      if stored != .none {
        device.bond = stored
      } else if !takesKeys {
        device.bond = .none
      }
      put(.device(device))
      guard device.bond.isBonded, let address = device.addressWithBluetoothd else { continue }
      if let removal = bondRemoval(of: address) { drop(.bondRemoval, number: removal.number) }
    }
  }
}

extension RegistryDevice {
  fileprivate var hasKeys: Bool { bond.hasKeys }

  /// The address of a device that has a bond of bluetoothd, lost or not.
  var addressWithBluetoothd: DeviceAddress? { bond.record?.owner == .bluetoothd ? identity.address : nil }
}

extension RegistryEdit {
  /// Stores that bluetoothd is to remove its bond with a device. A device of accessories has lost its bond by it.
  mutating func addBondRemoval(_ address: DeviceAddress) throws(RegistryError) {
    guard registry.bondRemoval(of: address) == nil else { return }
    if var device = registry.device(.bluetooth(address)), device.addressWithBluetoothd != nil,
      let record = device.bond.record
    {
      device.bond = .lost(record)
      try put(.device(device))
    }
    if registry.bondRemovals.count >= RegistryLimits.bondRemovalsMax, let oldest = registry.bondRemovals.first
    {
      drop(.bondRemoval, number: oldest.number)
    }
    try put(
      .bondRemoval(BondRemoval(number: registry.bondRemovalRows.nextNumber, address: address)))
  }

  mutating func endBondRemoval(_ address: DeviceAddress) {
    guard let removal = registry.bondRemoval(of: address) else { return }
    drop(.bondRemoval, number: removal.number)
  }

  /// Forgets the removal of a bond that bluetoothd has made again.
  mutating func keepNewBond(of row: RegistryRow) {
    guard case .device(let device) = row, device.bond.isBonded, let address = device.addressWithBluetoothd
    else { return }
    endBondRemoval(address)
  }
}
