// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Everything that can happen to a registry: each is made wholly or not at all.
public enum RegistryChange: Equatable, Sendable {
  case add(RegistryAddition)
  /// Takes the accessory from its app. With `leavesTombstone` the device is not set up again by touch or
  /// automatically; an accessory whose item the app brought leaves none.
  case remove(RandomIdentifier, leavesTombstone: Bool)
  /// Renames the device for every app, and with `ssid` the accessory's network with it.
  case rename(RandomIdentifier, displayName: String, ssid: [UInt8]? = nil)
  case setState(RandomIdentifier, AccessoryState)
  /// Authorizes the accessory, with what its app learned about it.
  case authorize(RandomIdentifier, ssid: [UInt8]? = nil, bridgingIdentifier: UInt64? = nil)
  /// Its network has another name. Of a device without Bluetooth that is the identity, for every app.
  case setSSID(RandomIdentifier, [UInt8])
  /// It may be found by more than before: network clauses that it had not, a second identity, or both.
  case extend(RandomIdentifier, RegistryExtension)
  /// Its device advertises from there too.
  case addAddress(RandomIdentifier, DeviceAddress)
  /// Its device was paired with, or lost the keys; `identity` is the address that the keys told.
  case setBond(RandomIdentifier, Bond, identity: DeviceAddress? = nil)
  /// What was removed from the app may be set up again by touch or automatically.
  case allow(app: String, DeviceIdentity)
  /// An operator confirms that the app's accessories are that account's.
  case confirmAccount(app: String, AccountID)
}
