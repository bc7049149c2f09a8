// SPDX-License-Identifier: GPL-3.0-or-later

/// What holds between the rows of every registry, and does not between these. Our own changes never cause one; a
/// damaged file or a foreign export may.
public enum RegistryConsistencyError: Error, Equatable, Sendable {
  case invalid(RegistryTable, number: Int64, RegistryField)
  /// Two rows of a table have one number.
  case repeatedNumber(RegistryTable, number: Int64)
  case tooMany(RegistryTable)
  /// An accessory is on a device that is not there.
  case missingDevice(accessory: Int64)
  /// A device is nobody's accessory.
  case unusedDevice(number: Int64)
  /// Two devices are known by the same.
  case repeatedIdentity(device: Int64)
  /// An app has a device twice.
  case repeatedAccessory(number: Int64)
  /// A random identifier is there twice.
  case repeatedIdentifier(accessory: Int64)
  /// An accessory has Bluetooth and its device has not, or the other way round.
  case bluetoothDisagrees(accessory: Int64)
  /// The network of a device without Bluetooth has another name in its accessory.
  case networkDisagrees(accessory: Int64)
  /// An app has accessories and no account.
  case missingAccount(accessory: Int64)
  /// An app has an account and no accessories, or two accounts.
  case unusedAccount(number: Int64)
  /// The same was removed twice.
  case repeatedTombstone(number: Int64)
}
