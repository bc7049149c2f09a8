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

/// What a bridge may do beside seeing.
public enum BridgePermission: String, CaseIterable, Sendable {
  case pick, rename, remove, scan
}

/// Which devices a bridge, or a reader of reports, sees at most.
public enum ReportForward: String, CaseIterable, Sendable {
  /// Those that are authorized accessories.
  case accessories
  /// Also those that an item has found.
  case items
  /// Every device in reach.
  case everything

  /// Whether it includes another.
  public func covers(_ other: Self) -> Bool {
    switch (self, other) {
    case (.everything, _), (.items, .items), (_, .accessories): true
    case (.accessories, .items), (.accessories, .everything), (.items, .everything): false
    }
  }
}

// Raw values are the words of the wire.

/// Where a list of networks came from.
public enum NetworkSource: String, Hashable, Sendable, CaseIterable {
  /// Wireless extensions, with libiw.
  case extensions
  /// Generic netlink.
  case nl80211
}

/// How a network is protected, as its beacons say (IEEE 802.11-2020, 9.4.2.24).
///
/// A network that takes both WPA2 and WPA3 counts as WPA2, and one that takes WPA and WPA2 as WPA: it is only as secure as
/// its weakest mode.
public enum WirelessSecurity: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// Every station joins, and nothing is encrypted.
  case open
  /// Every station joins; encrypted (Opportunistic Wireless Encryption).
  case owe
  case wep
  /// A passphrase, with the first WPA.
  case wpa
  /// A passphrase, with WPA2.
  case wpa2
  /// A passphrase, with WPA3 (SAE).
  case wpa3
  /// An account of each user (IEEE 802.1X).
  case enterprise
  /// Protected in a way that has no case here.
  case other
}
