// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import Registry

/// An accessory as its app sees it: `ASAccessory`. It has no address.
public struct AppAccessory: Equatable, Sendable {
  public var identifier: RandomIdentifier
  public var displayName: String
  public var state: AccessoryState
  /// The item's id in the manifest; nil when the app supplied the item.
  public var item: String?
  public var descriptor: DiscoveryDescriptor
  /// A second identity that an operator let the app add.
  public var alternate: DiscoveryDescriptor? {
    get { boxedAlternate?.value }
    set { boxedAlternate = newValue.map(Boxed.init) }
  }
  private var boxedAlternate: Boxed<DiscoveryDescriptor>?
  public var bluetoothIdentifier: RandomIdentifier?
  public var ssid: [UInt8]?
  /// 48 bits.
  public var bridgingIdentifier: UInt64?
  public var wifiAwarePairedDeviceID: UInt64?
  public var bond: BondState
  public var isIdentityDurable: Bool

  /// Creates the view of an accessory. `isInert`: its item has left the manifest.
  public init(_ accessory: RegistryAccessory, _ device: RegistryDevice, isInert: Bool) {
    identifier = accessory.identifier
    displayName = device.displayName
    state = isInert ? .unauthorized : accessory.state
    item = accessory.item
    descriptor = accessory.descriptor
    boxedAlternate = accessory.alternate.map(Boxed.init)
    bluetoothIdentifier = accessory.bluetoothIdentifier
    ssid = accessory.ssid
    bridgingIdentifier = accessory.bridgingIdentifier
    wifiAwarePairedDeviceID = accessory.wifiAwarePairedDeviceID
    bond = BondState(device.bond)
    isIdentityDurable = device.isIdentityDurable
  }

  /// Returns the fields that differ from those of `old`.
  public func fieldsChanged(from old: AppAccessory) -> [AccessoryField] {
    AccessoryField.allCases.filter { field in
      switch field {
      case .displayName: displayName != old.displayName
      case .state: state != old.state
      case .descriptor: descriptor != old.descriptor
      case .alternate: alternate != old.alternate
      case .bluetoothIdentifier: bluetoothIdentifier != old.bluetoothIdentifier
      case .ssid: ssid != old.ssid
      case .bluetoothTransportBridgingIdentifier: bridgingIdentifier != old.bridgingIdentifier
      case .wifiAwarePairedDeviceID: wifiAwarePairedDeviceID != old.wifiAwarePairedDeviceID
      case .bond: bond != old.bond
      case .isIdentityDurable: isIdentityDurable != old.isIdentityDurable
      case .device: false
      }
    }
  }
}

extension BondState {
  public init(_ bond: Bond) {
    switch bond {
    case .none: self = .none
    case .bonded: self = .bonded
    case .lost: self = .lost
    }
  }
}

/// A field of an accessory that can change, by its name in `io.accessoryd.Session`.
public enum AccessoryField: String, CaseIterable, Sendable {
  case displayName, state, descriptor, alternate, bluetoothIdentifier, ssid
  case bluetoothTransportBridgingIdentifier, wifiAwarePairedDeviceID, bond, isIdentityDurable
  /// The device itself, of which apps see no address.
  case device
}
