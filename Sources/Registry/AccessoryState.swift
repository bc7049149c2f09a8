// SPDX-License-Identifier: GPL-3.0-or-later

/// How far an accessory is the app's: `ASAccessory.AccessoryState` with its raw values.
public enum AccessoryState: Int, CaseIterable, Sendable {
  case unauthorized = 0
  /// A person chose it, and the app has not confirmed yet.
  case awaitingAuthorization = 10
  case authorized = 20
}
