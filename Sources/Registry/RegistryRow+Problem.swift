// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest

extension RegistryRow {
  /// The first part of the row that cannot be; nil when all can. What it says of other rows is not looked at.
  public var problem: RegistryField? {
    guard (1...RegistryLimits.numberMax).contains(number) else { return .number }
    return switch self {
    case .account(let account): account.app.isStorable ? nil : .app
    case .device(let device): device.problem
    case .accessory(let accessory): accessory.problem
    case .tombstone(let tombstone): tombstone.problem
    }
  }
}

extension RegistryDevice {
  fileprivate var problem: RegistryField? {
    if !identity.isStorable { return .identity }
    if !identity.allows(secondAddress) { return .secondAddress }
    if !displayName.isStorable { return .displayName }
    // Only Bluetooth has bonds.
    if identity.address == nil, bond != .none { return .bond }
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

extension DeviceIdentity {
  fileprivate var isStorable: Bool {
    switch self {
    case .bluetooth(let address): address.type != .anonymous
    case .network(let ssid): ssid.isNetworkName
    }
  }

  /// A second address is a second one of Bluetooth.
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
    // A whole name and the beginning of one exclude each other, as in AccessorySetupKit.
    guard ssid == nil || ssidPrefix == nil else { return false }
    return nameCompareOptions.rawValue <= UInt(UInt16.max) && supportedOptions.rawValue <= UInt(UInt16.max)
  }
}

extension String {
  fileprivate var isStorable: Bool { (1...RegistryLimits.textBytesMax).contains(utf8.count) }
}

extension [UInt8] {
  fileprivate var isNetworkName: Bool { (1...RegistryLimits.ssidBytesMax).contains(count) }
}
