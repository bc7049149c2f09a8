// SPDX-License-Identifier: GPL-3.0-or-later

public import Discovery

/// A kind of accessory that an app may set up (`ASPickerDisplayItem`), with what the manifest adds to it.
public struct DisplayItem: Equatable, Sendable {
  /// How the choice to set up an accessory is made.
  public enum Selection: String, CaseIterable, Sendable {
    /// An operator at a terminal, or a script on an operator's behalf.
    case `operator`
    /// Holding the accessory against the gateway.
    case touch
    /// Every match is set up.
    case automatic
    /// No choice: the item only reports sightings to operators and is never granted.
    case observe
  }

  /// Unique in its app; grants refer to it.
  public var id: String
  /// The name that pickers show.
  public var name: String
  /// An opaque string for pickers; the agent never opens it.
  public var productImage: String?
  public var selection: Selection = .operator
  public var setupOptions: SetupOptions = []
  public var renameOptions: RenameOptions = []
  /// Whether a name that is typed at setup also names the network, because the item knows only its prefix. A network
  /// that was found has its whole name, by which its app joins it.
  public var renamesNetwork: Bool {
    setupOptions.contains(.rename) && renameOptions.contains(.ssid) && descriptor.ssidPrefix != nil
      && descriptor.hasBluetoothClause
  }
  /// How devices that are paired have to be paired; nil when a person may use any method, and only a person.
  public var pairing: PairingDemand?
  /// The largest number of grants of this item.
  public var maxAccessories: UInt16 = 16
  public var descriptor = DiscoveryDescriptor()
  /// A second identity of the same accessory, a bootloader's for instance.
  public var alternate: DiscoveryDescriptor?
  /// The shortest time between two `changed` events of one device; nil for the gateway's.
  public var changedIntervalMilliseconds: Int32?
  /// `gate.isImmediate` says the same as `descriptor.range`.
  public var gate = GateSettings()

  public init(id: String, name: String) { (self.id, self.name) = (id, name) }
}

/// How the devices of an item are paired.
public enum PairingDemand: String, CaseIterable, Sendable {
  /// Without a person, so that touch and automatic setup pair too; a person may use any method.
  case justWorks = "just-works"
  /// A person compares or types digits; any other bond is refused.
  case authenticated
}

/// What happens while an accessory is set up: `ASPickerDisplayItem.SetupOptions` with its raw values.
public struct SetupOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The operator may name the accessory.
  public static let rename = SetupOptions(rawValue: 1 << 0)
  /// The app confirms before the accessory is authorized.
  public static let confirmAuthorization = SetupOptions(rawValue: 1 << 1)
  /// The picker says that setup continues in the app.
  public static let finishInApp = SetupOptions(rawValue: 1 << 2)
}

/// What else changes with a new name: `ASAccessory.RenameOptions` with its raw values.
public struct RenameOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The stored SSID follows the name.
  public static let ssid = RenameOptions(rawValue: 1 << 0)
}
