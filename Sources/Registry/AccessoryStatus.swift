// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// Whether an accessory is good for anything under the manifest as it is now. It is worked out and never stored: when
/// the manifest is changed back, so is the standing.
public enum AccessoryStatus: String, Sendable {
  case active = "good"
  /// Its item, or its app, has left the manifest: it stays, inert.
  case orphaned
  /// Its app has another account than when it was set up: an operator has to confirm.
  case suspended
}

extension AccessoryRegistry {
  /// `accounts` has the account of each app as it was looked up when the manifest was read; an app whose account is
  /// unknown has none.
  public func standing(
    of accessory: RegistryAccessory, in manifest: GatewayManifest, accounts: [String: AccountID]
  ) -> AccessoryStatus {
    guard let app = manifest.apps.first(where: { $0.name == accessory.app }) else { return .orphaned }
    guard account(ofApp: accessory.app) == accounts[accessory.app] else { return .suspended }
    if let item = accessory.item, !app.items.contains(where: { $0.id == item }) { return .orphaned }
    return .active
  }
}
