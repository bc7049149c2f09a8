// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a change was not made; the registry is as it was.
public enum RegistryError: Error, Equatable, Sendable {
  /// No accessory has that identifier.
  case unknownAccessory
  /// The app has no accessories whose account could be confirmed.
  case unknownApp
  /// Nothing of that device was removed from that app.
  case notRemoved
  /// The device is the app's accessory already.
  case alreadyAdded(RandomIdentifier)
  /// It was removed from the app, and nobody has allowed it since.
  case removedBefore
  /// The app's accessories are another account's until an operator confirms them.
  case accountChanged
  /// The item has as many accessories as it may.
  case itemFull(maxAccessories: UInt16)
  /// The registry has as many accessories as it holds.
  case full
  /// A random identifier is another accessory's: draw again.
  case identifierTaken
  /// Another device is known by that address or network name.
  case identityTaken
  /// Something in the change cannot be stored.
  case invalid(RegistryField)
}
