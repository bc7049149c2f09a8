// SPDX-License-Identifier: Apache-2.0

// Raw values are the words of the wire.

/// What a request is for.
public enum RequestKind: String, CaseIterable, Sendable {
  case setup, rename, authorize, migrate, pair
}

/// How a bond was made.
public enum PairingMethod: String, CaseIterable, Sendable {
  /// No person compared or typed anything; the bond is not authenticated.
  case justWorks
  /// A person typed at the gateway what the device showed.
  case digitsEntered
  /// A person typed at the device what the gateway showed.
  case digitsShown
  /// A person compared digits.
  case digitsCompared
}

/// Whether an app sees that there are keys.
public enum BondState: String, CaseIterable, Sendable {
  case none, bonded, lost
}

/// The program that keeps the keys of a bond, and removes it.
public enum BondOwner: String, CaseIterable, Sendable {
  /// The gateway: the keys are in its registry, and the agent loads them into the kernel.
  case gateway
  case bluetoothd
}

/// Whether the current manifest allows the use of an accessory. It is computed and never stored: if the manifest is
/// changed back, so is the status.
public enum AccessoryStatus: String, CaseIterable, Sendable {
  case active
  /// The accessory's item or app is no longer in the manifest; the accessory is kept but inactive.
  case orphaned
  /// The app's account is not the one that set up the accessory: an operator has to confirm it.
  case suspended
}
