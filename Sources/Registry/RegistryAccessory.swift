// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// That a device is an app's accessory: a grant. Another app's grant of the same device shares nothing with it but the
/// device.
public struct RegistryAccessory: Equatable, Sendable, NumberedRow {
  public var number: Int64
  public var identifier: RandomIdentifier
  public var app: String
  /// The item's id in the manifest; nil when the app brought the item.
  public var item: String?
  /// As it was set up, and what an operator let the app add since. What is heard is matched against the manifest's
  /// item while there is one.
  public var descriptor: DiscoveryDescriptor
  /// A second identity that an operator let the app add.
  public var alternate: DiscoveryDescriptor?
  /// The number of its device.
  public var device: Int64
  /// There while the device has Bluetooth.
  public var bluetoothIdentifier: RandomIdentifier?
  public var state: AccessoryState
  /// Its network, 1 to 32 octets: that of the device itself when it has no Bluetooth.
  public var ssid: [UInt8]?
  /// 48 bits of a classic address.
  public var bridgingIdentifier: UInt64?
  /// Wall clock in seconds since 1970; nil when nobody knew it.
  public var addedAt: Int64?

  public init(
    number: Int64, identifier: RandomIdentifier, app: String, descriptor: DiscoveryDescriptor, device: Int64,
    state: AccessoryState
  ) {
    self.number = number
    self.identifier = identifier
    self.app = app
    self.descriptor = descriptor
    self.device = device
    self.state = state
  }
}
