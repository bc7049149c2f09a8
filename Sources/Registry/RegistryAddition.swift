// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// An accessory as it is set up.
public struct RegistryAddition: Equatable, Sendable {
  public var app: String
  /// Who may act as the app.
  public var account: AccountID
  public var item: String?
  public var descriptor: DiscoveryDescriptor
  /// Of the item; nil when the app brought it.
  public var maxAccessories: UInt16?
  public var identity: DeviceIdentity
  public var isIdentityDurable = true
  /// Random.
  public var identifier: RandomIdentifier
  /// Random; unused for a device without Bluetooth.
  public var bluetoothIdentifier: RandomIdentifier
  /// Not used when the device has one already.
  public var displayName: String
  public var state = AccessoryState.authorized
  public var ssid: [UInt8]?
  /// Set up by touch or automatically: not when it was removed before. Chosen by a person: that allows it again.
  public var isHandsFree = false
  public var addedAt: Int64?

  public init(
    app: String, account: AccountID, descriptor: DiscoveryDescriptor, identity: DeviceIdentity,
    identifier: RandomIdentifier, bluetoothIdentifier: RandomIdentifier, displayName: String
  ) {
    self.app = app
    self.account = account
    self.descriptor = descriptor
    self.identity = identity
    self.identifier = identifier
    self.bluetoothIdentifier = bluetoothIdentifier
    self.displayName = displayName
  }
}
