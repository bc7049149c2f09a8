// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import Registry

/// A life-cycle event of an app: `ASAccessoryEvent`, and how a picker ended.
public struct AppEvent: Equatable, Sendable {
  /// Indirect, so that the feeds, which keep the latest events of every app, do not set the largest kind aside for each.
  public indirect enum Kind: Equatable, Sendable {
    case activated
    /// The session has ended, for this reason.
    case invalidated(SetupError)
    case migrationComplete
    case accessoryAdded(AppAccessory)
    /// The accessory as it was.
    case accessoryRemoved(AppAccessory)
    case accessoryChanged(AppAccessory, changed: [AccessoryField])
    case accessoryDiscovered(DiscoveredAccessory)
    case pickerDidPresent
    case pickerDidDismiss
    case pickerSetupBridging
    case pickerSetupFailed(SetupError)
    case pickerSetupPairing
    case pickerSetupRename
    /// nil on success. AccessorySetupKit has no such event: there the picker's completion handler is called.
    case pickerFinished(SetupError?)
  }

  public var time: Instant
  public var kind: Kind
  /// The picker of a picker event.
  public var picker: RandomIdentifier?

  public init(_ kind: Kind, picker: RandomIdentifier? = nil, at time: Instant) {
    (self.time, self.kind, self.picker) = (time, kind, picker)
  }
}

/// A device or a network as a filtered picker reports it to its app: `ASDiscoveredAccessory`. It has no address.
public struct DiscoveredAccessory: Equatable, Sendable {
  /// Means nothing outside its picker.
  public var number: UInt32
  /// The index among the picker's items, and the item if it is in the manifest.
  public var itemIndex: Int
  public var item: DisplayItem?
  /// The network's name; nil for a device with Bluetooth.
  public var ssid: [UInt8]?
  public var report: DeviceReport
}

extension AppEvent.Kind {
  /// The accessory that was added, changed or removed.
  var accessory: AppAccessory? {
    switch self {
    case .accessoryAdded(let accessory), .accessoryRemoved(let accessory),
      .accessoryChanged(let accessory, _):
      accessory
    default: nil
    }
  }

  /// AccessorySetupKit's event; nil for ``pickerFinished(_:)``.
  public var type: AccessoryEventType? {
    switch self {
    case .activated: .activated
    case .invalidated: .invalidated
    case .migrationComplete: .migrationComplete
    case .accessoryAdded: .accessoryAdded
    case .accessoryRemoved: .accessoryRemoved
    case .accessoryChanged: .accessoryChanged
    case .accessoryDiscovered: .accessoryDiscovered
    case .pickerDidPresent: .pickerDidPresent
    case .pickerDidDismiss: .pickerDidDismiss
    case .pickerSetupBridging: .pickerSetupBridging
    case .pickerSetupFailed: .pickerSetupFailed
    case .pickerSetupPairing: .pickerSetupPairing
    case .pickerSetupRename: .pickerSetupRename
    case .pickerFinished: nil
    }
  }
}

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
