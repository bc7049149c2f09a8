// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import Registry

/// What the manifest says about apps, prepared for looking up.
public struct SetupConfiguration: Sendable {
  public let apps: [String: App]
  /// The account of each app, as it was looked up when the manifest was read; an unknown one is missing.
  public let accounts: [String: AccountID]
  public let limits: Limits
  private let itemIDs: [String: Set<String>]
  /// Whether some item is set up automatically.
  let hasAutomaticItems: Bool
  /// Whether some item demands an authenticated bond.
  let hasAuthenticatedItems: Bool
  /// The networks that are set up automatically.
  let automaticNetworks: [AutomaticKey]
  /// Whether the board profile says how the adapter's levels compare with the reference.
  let isAdapterCalibrated: Bool

  public init(_ manifest: GatewayManifest, accounts: [String: AccountID], isAdapterCalibrated: Bool = true) {
    self.isAdapterCalibrated = isAdapterCalibrated
    apps = Dictionary(manifest.apps.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.accounts = accounts
    limits = manifest.gateway.limits
    itemIDs = apps.mapValues { Set($0.items.map(\.id)) }
    let automatic = manifest.apps.flatMap { $0.items.filter { $0.selection == .automatic } }
    hasAutomaticItems = !automatic.isEmpty
    hasAuthenticatedItems = manifest.apps.contains { $0.items.contains { $0.pairing == .authenticated } }
    automaticNetworks = manifest.apps.flatMap { app in
      app.items.compactMap { item in
        guard item.selection == .automatic, item.descriptor.isFoundByNetwork, let name = item.descriptor.ssid
        else { return nil }
        return AutomaticKey(device: .network(name), app: app.name, item: item.id)
      }
    }
  }

  public func item(_ id: String, ofApp app: String) -> DisplayItem? {
    apps[app]?.items.first { $0.id == id }
  }

  /// Whether every accessory has the same status under both.
  func hasSameStatuses(as other: SetupConfiguration) -> Bool {
    itemIDs == other.itemIDs && accounts == other.accounts
  }

  /// Returns the status of an accessory whose app has this account in the registry.
  func status(of accessory: RegistryAccessory, boundTo account: AccountID?) -> AccessoryStatus {
    guard let known = itemIDs[accessory.app] else { return .orphaned }
    guard account == accounts[accessory.app] else { return .suspended }
    if let item = accessory.item, !known.contains(item) { return .orphaned }
    return .active
  }
}
