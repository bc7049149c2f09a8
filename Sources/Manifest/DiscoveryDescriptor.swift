// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// How an accessory appears on the air: a set of clauses, all of which must hold
/// (`ASDiscoveryDescriptor`, without its `bluetooth` prefixes).
///
/// It carries no rules; `ManifestRules` says which combinations are accepted.
public struct DiscoveryDescriptor: Hashable, Sendable {
  /// How near an accessory must be: `ASDiscoveryDescriptor.Range` with its raw values.
  public enum Range: Int, Sendable {
    case `default` = 0
    /// At the gateway.
    case immediate = 10
  }

  /// nil is "no clause"; 0x0000 is a valid company identifier.
  public var companyIdentifier: UInt16?
  /// Compared with what follows the company identifier.
  public var manufacturerData: MaskedBytes?
  public var serviceUUID: BluetoothUUID?
  /// Compared with what follows the service UUID.
  public var serviceData: MaskedBytes?
  /// UTF-8, one byte or more.
  public var nameSubstring: [UInt8]?
  public var nameCompareOptions: CompareOptions = []
  /// How the device's address begins. AccessorySetupKit has no such clause: apps neither give it nor see it.
  public var addressPrefix: AddressPrefix?
  public var range: Range = .default
  /// A full network name, 1 to 32 bytes.
  public var ssid: [UInt8]?
  /// How network names begin, 1 to 32 bytes.
  public var ssidPrefix: [UInt8]?
  /// Carried, and never searched.
  public var wifiAware: WiFiAwareService? {
    get { boxedWiFiAware?.value }
    set { boxedWiFiAware = newValue.map(Boxed.init) }
  }
  private var boxedWiFiAware: Boxed<WiFiAwareService>?
  public var supportedOptions: SupportOptions = []

  public init() {}

  /// Whether a clause looks at Bluetooth advertisements.
  public var hasBluetoothClause: Bool {
    companyIdentifier != nil || serviceUUID != nil || nameSubstring != nil
      || manufacturerData != nil || serviceData != nil || addressPrefix != nil
  }

  /// Whether the descriptor has a company identifier or a service UUID.
  public var hasKey: Bool { companyIdentifier != nil || serviceUUID != nil }

  /// The clauses that AccessorySetupKit has: what an accessory keeps of its item, and its app sees.
  public var visibleToApps: DiscoveryDescriptor {
    var visible = self
    visible.addressPrefix = nil
    return visible
  }

  /// Whether a clause looks at network names.
  public var hasWiFiClause: Bool { ssid != nil || ssidPrefix != nil }

  /// Whether accessories are found by their network. With Bluetooth clauses beside it, only those are matched.
  public var isFoundByNetwork: Bool { hasWiFiClause && !hasBluetoothClause }

  /// Whether no accessory is ever found, because nothing searches for what the descriptor says.
  public var hasOnlyWiFiAware: Bool { wifiAware != nil && !hasBluetoothClause && !hasWiFiClause }

  /// Whether a network's name is the whole one, or begins with the prefix.
  public func matches(network name: [UInt8]) -> Bool {
    if let ssid { return name == ssid }
    return ssidPrefix.map { name.starts(with: $0) } ?? false
  }
}

/// How a name is compared: the supported options of `NSString.CompareOptions`, with its raw values.
public struct CompareOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Letters compare under simple case folding.
  public static let caseInsensitive = CompareOptions(rawValue: 1)
  /// Character by character; the comparison is literal with or without it.
  public static let literal = CompareOptions(rawValue: 2)
  /// The last occurrence; with `anchored`, the name's end.
  public static let backwards = CompareOptions(rawValue: 4)
  /// The name's start only, or with `backwards` its end.
  public static let anchored = CompareOptions(rawValue: 8)

  /// The options, as a manifest writes them.
  public static let names: [(String, CompareOptions)] = [
    ("literal", .literal), ("anchored", .anchored), ("backwards", .backwards),
    ("caseInsensitive", .caseInsensitive),
  ]

  /// The words of the options, in the order of ``rawValue``.
  public var words: [String] {
    Self.names.filter { contains($0.1) }.sorted { $0.1.rawValue < $1.1.rawValue }.map(\.0)
  }
}

/// What an accessory supports: `ASAccessory.SupportOptions` with its raw values (bit 0 is unused).
public struct SupportOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Bluetooth Low Energy pairing.
  public static let bluetoothPairingLE = SupportOptions(rawValue: 1 << 1)
  /// Bridging to the classic transport.
  public static let bluetoothTransportBridging = SupportOptions(rawValue: 1 << 2)
  /// The Bluetooth Low Energy HID service.
  public static let bluetoothHID = SupportOptions(rawValue: 1 << 3)
}

/// A value that is kept outside of what has it. Where most have none, they stay small: an app's feed holds hundreds of
/// accessories.
public indirect enum Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
  case value(Value)

  public init(_ value: Value) { self = .value(value) }

  public var value: Value {
    switch self {
    case .value(let value): value
    }
  }
}

/// Bytes to compare, and a mask of the bits that count.
///
/// A payload matches when `(payload[i] & mask[i]) == (blob[i] & mask[i])` for every index of the blob; a shorter
/// payload never matches.
public struct MaskedBytes: Hashable, Sendable {
  /// The expected bytes of the payload.
  public let blob: [UInt8]
  /// As long as the blob; a set bit is compared.
  public let mask: [UInt8]

  /// Every bit of the blob counts.
  public init(blob: [UInt8]) {
    self.blob = blob
    self.mask = [UInt8](repeating: 0xFF, count: blob.count)
  }

  /// Returns nil if the lengths differ.
  public init?(blob: [UInt8], mask: [UInt8]) {
    guard blob.count == mask.count else { return nil }
    (self.blob, self.mask) = (blob, mask)
  }

  /// How many bits are compared.
  public var maskBitCount: Int { mask.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// Whether a payload matches.
  public func holds(_ payload: [UInt8]) -> Bool {
    payload.count >= blob.count && zip(zip(payload, blob), mask).allSatisfy { $0.0 & $1 == $0.1 & $1 }
  }

  /// Whether a payload could match both.
  public func isCompatible(with other: MaskedBytes) -> Bool {
    for index in 0..<min(blob.count, other.blob.count) {
      let both = mask[index] & other.mask[index]
      if blob[index] & both != other.blob[index] & both { return false }
    }
    return true
  }
}

/// The Wi-Fi Aware part of a descriptor: the four `wifiAware…` properties of `ASDiscoveryDescriptor`.
///
/// It is carried and never searched. A descriptor that has nothing else finds no device.
public struct WiFiAwareService: Hashable, Sendable {
  /// `ASDiscoveryDescriptor.WiFiAwareServiceRole` with its raw values.
  public enum Role: Int, CaseIterable, Sendable {
    case subscriber = 10
    case publisher = 20
  }

  /// A text that a device's name is compared with: `ASPropertyCompareString`.
  public struct NameMatch: Hashable, Sendable {
    /// UTF-8, 1 to ``textBytesMax`` bytes.
    public var text: [UInt8]
    public var compareOptions: CompareOptions

    public init(text: [UInt8], compareOptions: CompareOptions = []) {
      (self.text, self.compareOptions) = (text, compareOptions)
    }
  }

  /// What a gateway would need before it could search, as the object of a sentence.
  public static let needs =
    "wpa_supplicant newer than 2.11 built with CONFIG_NAN_USD=y, and an agent that asks it"
  /// Why nothing is found by these properties, as a sentence.
  public static let reasonNothingIsSearched =
    "nothing on a gateway searches for Wi-Fi Aware, which would need \(needs)"
  /// Why an item with these properties alone has no candidates, and what to do, as a sentence for integrators.
  public static let reasonNothingIsFound =
    "never has a candidate: \(reasonNothingIsSearched); add ssid, ssid-prefix or a Bluetooth clause"

  /// The longest service name, and the longest text of a name.
  public static let textBytesMax = 255

  /// UTF-8, 1 to ``textBytesMax`` bytes.
  public var serviceName: [UInt8]
  public var role = Role.subscriber
  public var modelName: NameMatch?
  public var vendorName: NameMatch?

  public init(serviceName: [UInt8]) { self.serviceName = serviceName }
}
