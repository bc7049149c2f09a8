// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Manifest

/// A row of a registry, with a number that is unique in its table. Numbers grow in order of addition.
public enum RegistryRow: Equatable, Sendable {
  case account(RegistryAccount)
  case device(RegistryDevice)
  case accessory(RegistryAccessory)
  case tombstone(RegistryTombstone)
  case former(FormerIdentifier)
  case bondRemoval(BondRemoval)

  public var table: RegistryTable {
    switch self {
    case .account: .account
    case .device: .device
    case .accessory: .accessory
    case .tombstone: .tombstone
    case .former: .former
    case .bondRemoval: .bondRemoval
    }
  }

  public var number: Int64 {
    switch self {
    case .account(let account): account.number
    case .device(let device): device.number
    case .accessory(let accessory): accessory.number
    case .tombstone(let tombstone): tombstone.number
    case .former(let former): former.number
    case .bondRemoval(let removal): removal.number
    }
  }

  /// The first invalid part of the row; nil if all are valid. References to other rows are not checked.
  public var problem: RegistryField? {
    guard (1...RegistryLimits.numberMax).contains(number) else { return .number }
    return switch self {
    case .account(let account): account.app.isStorable ? nil : .app
    case .device(let device): device.problem
    case .accessory(let accessory): accessory.problem
    case .tombstone(let tombstone): tombstone.problem
    case .former(let former): former.problem
    case .bondRemoval(let removal):
      DeviceIdentity.bluetooth(removal.address).isStorable ? nil : .identity
    }
  }
}

/// The kinds of row in a registry; the order is that of exports.
public enum RegistryTable: String, CaseIterable, Sendable {
  case account, device, accessory, tombstone, former, bondRemoval
}

/// The parts of rows that are validated.
public enum RegistryField: String, Sendable {
  case number, app, item, identity, secondAddress, displayName, bond, rhythmMilliseconds, identifier,
    bluetoothIdentifier, state
  case ssid, bridgingIdentifier, wifiAwarePairedDeviceID, addedAt, descriptor, alternate, account
}

/// The account that owns an app's accessories: the one that acted as the app at the first setup, or that an operator
/// confirmed since. An app has exactly one while it has accessories.
public struct RegistryAccount: Equatable, Sendable, NumberedRow {
  public var number: Int64
  public var app: String
  public var account: AccountID

  public init(number: Int64, app: String, account: AccountID) {
    (self.number, self.app, self.account) = (number, app, account)
  }
}

/// An account by its number, as the kernel knows it; a name may later denote another account.
public enum AccountID: Hashable, Sendable {
  case user(UInt32)
  case group(UInt32)
}

extension RegistryDevice {
  fileprivate var problem: RegistryField? {
    if !identity.isStorable { return .identity }
    if !identity.allows(secondAddress) { return .secondAddress }
    if !displayName.isStorable { return .displayName }
    if !identity.allows(bond) { return .bond }
    if !identity.allows(rhythm: rhythmMilliseconds) { return .rhythmMilliseconds }
    return nil
  }
}

extension RegistryAccessory {
  fileprivate var problem: RegistryField? {
    if !app.isStorable { return .app }
    if let item, !item.isStorable { return .item }
    if !descriptor.isStorable { return .descriptor }
    if let alternate, !alternate.isStorable { return .alternate }
    if let ssid, !ssid.isNetworkName { return .ssid }
    if let bridgingIdentifier, bridgingIdentifier >= 1 << 48 { return .bridgingIdentifier }
    if wifiAwarePairedDeviceID == 0 { return .wifiAwarePairedDeviceID }
    if let addedAt, !(0...RegistryLimits.numberMax).contains(addedAt) { return .addedAt }
    return nil
  }
}

extension RegistryTombstone {
  fileprivate var problem: RegistryField? {
    if !app.isStorable { return .app }
    if !item.isStorable { return .item }
    if !identity.isStorable { return .identity }
    if !identity.allows(secondAddress) { return .secondAddress }
    return nil
  }
}

extension FormerIdentifier {
  fileprivate var problem: RegistryField? {
    if !app.isStorable { return .app }
    return DeviceIdentity.bluetooth(address).isStorable ? nil : .identity
  }
}

extension DeviceIdentity {
  fileprivate var isStorable: Bool {
    switch self {
    case .bluetooth(let address): address.type != .anonymous
    case .network(let ssid): ssid.isNetworkName
    }
  }

  /// Only devices with Bluetooth have bonds, and only a public address is also one of BR/EDR.
  fileprivate func allows(_ bond: Bond) -> Bool {
    guard let record = bond.record else { return true }
    guard let address, record.isStorable else { return false }
    return !record.hasLinkKey || [.public, .publicIdentity].contains(address.type)
  }

  /// Only what advertises has a rhythm.
  fileprivate func allows(rhythm milliseconds: UInt32?) -> Bool {
    guard let milliseconds else { return true }
    return address != nil && Rhythm.knownMilliseconds.contains(milliseconds)
  }

  /// Whether the second address is absent, or differs from the Bluetooth address.
  fileprivate func allows(_ secondAddress: DeviceAddress?) -> Bool {
    guard let secondAddress else { return true }
    guard let address else { return false }
    return secondAddress != address && secondAddress.type != .anonymous
  }
}

extension DiscoveryDescriptor {
  fileprivate var isStorable: Bool {
    for clause in [manufacturerData?.blob, serviceData?.blob, nameSubstring] {
      if let clause, !(1...RegistryLimits.clauseBytesMax).contains(clause.count) { return false }
    }
    for name in [ssid, ssidPrefix] {
      if let name, !name.isNetworkName { return false }
    }
    // A full name and a prefix exclude each other, as in AccessorySetupKit.
    guard ssid == nil || ssidPrefix == nil, wifiAware?.isStorable ?? true else { return false }
    return nameCompareOptions.rawValue <= UInt(UInt16.max) && supportedOptions.rawValue <= UInt(UInt16.max)
  }
}

extension WiFiAwareService {
  fileprivate var isStorable: Bool {
    let names = [modelName, vendorName].compactMap(\.self)
    return ([serviceName] + names.map(\.text)).allSatisfy { (1...Self.textBytesMax).contains($0.count) }
      && names.allSatisfy { $0.compareOptions.rawValue <= UInt(UInt16.max) }
  }
}

extension String {
  fileprivate var isStorable: Bool { (1...RegistryLimits.textBytesMax).contains(utf8.count) }
}

extension [UInt8] {
  fileprivate var isNetworkName: Bool { (1...RegistryLimits.ssidBytesMax).contains(count) }
}
