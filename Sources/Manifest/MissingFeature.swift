// SPDX-License-Identifier: GPL-3.0-or-later

/// A feature that an item uses and that this version does not have.
///
/// `check`, the start and `status` warn for each such item, until the feature exists.
public enum MissingFeature: Equatable, Sendable {
  /// The item is found by its network alone, and the agent does not look for networks.
  case networkSearch
  /// The item is found by Bluetooth, and the agent does not check that its network exists.
  case network

  /// What does not happen, and what to do, as a sentence for integrators.
  public var sentence: String {
    switch self {
    case .networkSearch:
      "never matches: this version does not look for networks; add a Bluetooth clause, or remove the item"
    case .network:
      "this version does not look for networks: the app receives the name of a network that was never seen; "
        + "remove it if the app cannot join by itself"
    }
  }
}

extension DisplayItem {
  /// What the item needs and does not get, each with its key in the descriptor.
  public var missingFeatures: [(feature: MissingFeature, key: DescriptorKey)] {
    var missing: [(MissingFeature, DescriptorKey)] = []
    if descriptor.hasWiFiClause {
      missing.append(
        (
          descriptor.hasBluetoothClause ? .network : .networkSearch,
          descriptor.ssid == nil ? .ssidPrefix : .ssid
        ))
    }
    return missing
  }
}
