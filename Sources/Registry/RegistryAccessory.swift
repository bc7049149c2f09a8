// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// A grant: a device that is an app's accessory. Grants of the same device to different apps share only the device.
public struct RegistryAccessory: Equatable, Sendable, NumberedRow {
  public var number: Int64
  public var identifier: RandomIdentifier
  public var app: String
  /// The item's id in the manifest; nil if the app supplied the item.
  public var item: String?
  /// The descriptor at setup, with what the app added since with an operator's consent. Advertisements are matched
  /// against the manifest's item while it exists.
  public var descriptor: DiscoveryDescriptor
  /// A second identity that the app added with an operator's consent.
  public var alternate: DiscoveryDescriptor?
  /// The number of its device.
  public var device: Int64
  /// nil for a device without Bluetooth.
  public var bluetoothIdentifier: RandomIdentifier?
  public var state: AccessoryState
  /// The name of the accessory's network, 1 to 32 bytes; the device's identity if it has no Bluetooth.
  public var ssid: [UInt8]?
  /// The 48 bits of a classic address.
  public var bridgingIdentifier: UInt64?
  /// What Wi-Fi Aware calls the device after pairing, as its app knew it; never 0.
  public var wifiAwarePairedDeviceID: UInt64?
  /// Wall-clock time in seconds since 1970; nil if the clock was not set.
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

/// How far the authorization of an accessory went: `ASAccessory.AccessoryState` with its raw values.
public enum AccessoryState: Int, CaseIterable, Sendable {
  case unauthorized = 0
  /// An operator chose the device, and the app has not confirmed it yet.
  case awaitingAuthorization = 10
  case authorized = 20
}
