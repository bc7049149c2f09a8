// SPDX-License-Identifier: Apache-2.0

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
