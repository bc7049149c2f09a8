// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What an accessory looks like on the air: a set of clauses, all of which must hold
/// (`ASDiscoveryDescriptor`, without its `bluetooth` prefixes).
///
/// It carries no rules; `ManifestRules` says which combinations are accepted.
public struct DiscoveryDescriptor: Hashable, Sendable {
  /// Where an accessory may be: `ASDiscoveryDescriptor.Range` with its raw values.
  public enum Range: Int, Sendable {
    case `default` = 0
    /// At the gateway.
    case immediate = 10
  }

  /// Nil is "no clause": 0x0000 is a company.
  public var companyIdentifier: UInt16?
  /// Compared with what follows the company identifier.
  public var manufacturerData: MaskedBytes?
  public var serviceUUID: BluetoothUUID?
  /// Compared with what follows the service UUID.
  public var serviceData: MaskedBytes?
  /// UTF-8, one byte or more.
  public var nameSubstring: [UInt8]?
  public var nameCompareOptions: CompareOptions = []
  public var range: Range = .default
  /// A full network name, 1 to 32 bytes.
  public var ssid: [UInt8]?
  /// How network names begin, 1 to 32 bytes.
  public var ssidPrefix: [UInt8]?
  public var supportedOptions: SupportOptions = []

  public init() {}

  /// Whether a clause looks at Bluetooth advertisements.
  public var hasBluetoothClause: Bool {
    companyIdentifier != nil || serviceUUID != nil || nameSubstring != nil
      || manufacturerData != nil || serviceData != nil
  }

  /// Whether a clause looks at network names.
  public var hasWiFiClause: Bool { ssid != nil || ssidPrefix != nil }
}
