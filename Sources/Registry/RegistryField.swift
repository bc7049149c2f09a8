// SPDX-License-Identifier: GPL-3.0-or-later

/// The parts of rows that have a form.
public enum RegistryField: String, Sendable {
  case number, app, item, identity, secondAddress, displayName, bond, identifier, bluetoothIdentifier, state
  case ssid, bridgingIdentifier, addedAt, descriptor, alternate, account
}
