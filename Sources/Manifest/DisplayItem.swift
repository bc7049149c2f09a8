// SPDX-License-Identifier: GPL-3.0-or-later

public import Discovery

/// A kind of accessory that an app may set up (`ASPickerDisplayItem`), with what the manifest adds to it.
public struct DisplayItem: Equatable, Sendable {
  /// Who decides that an accessory is set up.
  public enum Selection: String, CaseIterable, Sendable {
    /// A person with a terminal, or a script on an operator's behalf.
    case `operator`
    /// Holding the accessory against the gateway.
    case touch
    /// Every match is set up.
    case automatic
    /// Nobody: sightings for operators, never a grant.
    case observe
  }

  /// Unique in its app; grants are keyed on it.
  public var id: String
  /// What pickers show.
  public var name: String
  /// An opaque string for pickers; the agent never opens it.
  public var productImage: String?
  public var selection: Selection = .operator
  public var setupOptions: SetupOptions = []
  public var renameOptions: RenameOptions = []
  /// Whether the name that is typed at setup is the network's too, of which the item knows the beginning only.
  public var renamesNetwork: Bool {
    setupOptions.contains(.rename) && renameOptions.contains(.ssid) && descriptor.ssidPrefix != nil
  }
  /// Grants of this item at most.
  public var maxAccessories: UInt16 = 16
  public var descriptor = DiscoveryDescriptor()
  /// A second identity of the same accessory, a bootloader's for instance.
  public var alternate: DiscoveryDescriptor?
  /// `gate.isImmediate` says the same as `descriptor.range`.
  public var gate = GateSettings()

  public init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}
