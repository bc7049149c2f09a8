// SPDX-License-Identifier: GPL-3.0-or-later

/// A key of one of the manifest's tables; the raw value is the key as it is written.
public protocol ManifestKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// Keys of nearby tables that are easily confused with this table's, with their paths.
  static var neighbours: [String] { get }
}

extension ManifestKey {
  public static var neighbours: [String] { [] }
}

/// The top level of a manifest.
public enum RootKey: String, ManifestKey {
  case schema, gateway, capacity, limits, app, bridge
}

/// `[gateway]`
public enum GatewayKey: String, ManifestKey {
  case radio, access, power, scan, filter, wifi, board
  case onTouch = "on-touch"
  case onRequest = "on-request"
  case identityKeys = "identity-keys"
  case drainInterval = "drain-interval-ms"
  case changedInterval = "changed-interval-ms"
}

/// `[capacity]`
public enum CapacityKey: String, ManifestKey {
  case devices
  case longPayloads = "long-payloads"
  case reassemblies
  case matchesPerItem = "matches-per-item"
  case accessories
  case events
  case eventBytes = "event-bytes"
}

/// `[limits]`
public enum LimitsKey: String, ManifestKey {
  case pickerIdle = "picker-idle-s"
  case requestsPerMinute = "requests-per-minute"
  case candidates
  case connections
  case connectionsPerUser = "connections-per-user"
  case connectionsForOperators = "connections-for-operators"
  case writeBufferBytes = "write-buffer-bytes"
}

/// `[app.NAME]`
public enum AppKey: String, ManifestKey {
  case user, group, socket, supports
  case companyIdentifiers = "bluetooth-company-identifiers"
  case services = "bluetooth-services"
  case names = "bluetooth-names"
  case item
}

/// `[bridge.NAME]`
public enum BridgeKey: String, ManifestKey {
  case user, forward, apps, may
}

/// `[[app.NAME.item]]`
public enum ItemKey: String, ManifestKey {
  case id, name
  case productImage = "product-image"
  case select, pairing
  case setupOptions = "setup-options"
  case renameOptions = "rename-options"
  case maxAccessories = "max-accessories"
  case txPower = "tx-power"
  case changedInterval = "changed-interval-ms"
  case descriptor, alternate, gate

  public static var neighbours: [String] {
    DescriptorKey.allCases.map { "descriptor.\($0.rawValue)" }
      + GateKey.allCases.map { "gate.\($0.rawValue)" }
  }
}

/// `descriptor` and `alternate` of an item: the property names of `ASDiscoveryDescriptor`, and two prefixes.
public enum DescriptorKey: String, ManifestKey {
  case companyIdentifier = "bluetooth-company-identifier"
  case manufacturerDataBlob = "bluetooth-manufacturer-data-blob"
  case manufacturerDataMask = "bluetooth-manufacturer-data-mask"
  case serviceUUID = "bluetooth-service-uuid"
  case serviceDataBlob = "bluetooth-service-data-blob"
  case serviceDataMask = "bluetooth-service-data-mask"
  case nameSubstring = "bluetooth-name-substring"
  case nameCompareOptions = "bluetooth-name-substring-compare-options"
  case namePrefix = "bluetooth-name-prefix"
  case addressPrefix = "bluetooth-address-prefix"
  case range = "bluetooth-range"
  case ssid
  case ssidHex = "ssid-hex"
  case ssidPrefix = "ssid-prefix"
  case ssidPrefixHex = "ssid-prefix-hex"
  case wifiAwareServiceName = "wifi-aware-service-name"
  case wifiAwareServiceRole = "wifi-aware-service-role"
  case wifiAwareModelName = "wifi-aware-model-name-match"
  case wifiAwareModelNameCompareOptions = "wifi-aware-model-name-match-compare-options"
  case wifiAwareVendorName = "wifi-aware-vendor-name-match"
  case wifiAwareVendorNameCompareOptions = "wifi-aware-vendor-name-match-compare-options"
  case supportedOptions = "supported-options"

  /// What AccessorySetupKit calls it, and a call of an app with it.
  public var field: String {
    switch self {
    case .serviceUUID: return "bluetoothServiceUUID"
    case .namePrefix: return Self.nameSubstring.field
    case .ssidPrefixHex: return Self.ssidPrefix.field
    case .wifiAwareModelNameCompareOptions: return Self.wifiAwareModelName.field + ".compareOptions"
    case .wifiAwareVendorNameCompareOptions: return Self.wifiAwareVendorName.field + ".compareOptions"
    default:
      let words = rawValue.split(separator: "-")
      return words[0] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
  }
}

/// `gate` of an item.
public enum GateKey: String, ManifestKey {
  case enterRSSI = "enter-rssi"
  case leaveRSSI = "leave-rssi"
  case enterPathLoss = "enter-path-loss"
  case leavePathLoss = "leave-path-loss"
  case enterDwell = "enter-dwell-ms"
  case leaveDwell = "leave-dwell-ms"
  case samplesMin = "samples-min"
  case sampleWindow = "sample-window-ms"
  case sampleWindowMax = "sample-window-max-ms"
  case silence = "silence-ms"
  case silenceMax = "silence-max-ms"
  case lost = "lost-ms"
  case lostMax = "lost-max-ms"
}

/// The top level of a board profile.
public enum BoardKey: String, ManifestKey {
  case schema, name, transport
  case rssiOffset = "rssi-offset"
  case scan, recovery
  case knownLimits = "known-limits"
}

/// `[scan]` of a board profile.
public enum ScanKey: String, ManifestKey {
  case low, balanced, fast
}

/// `low`, `balanced` and `fast` of `[scan]`.
public enum DutyKey: String, ManifestKey {
  case window = "window-ms"
  case interval = "interval-ms"
}

/// `[[recovery]]` of a board profile.
public enum RecoveryKey: String, ManifestKey {
  case step, driver, device
  case wait = "wait-ms"
}

/// The top level of a file of identity keys.
public enum IdentityFileKey: String, ManifestKey {
  case schema, identity
}

/// `[[identity]]`
public enum IdentityEntryKey: String, ManifestKey {
  case address
  case addressType = "address-type"
  case irk
}
