// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension AccessoryRegistry {
  /// Makes a change, or throws why not and leaves everything as it was.
  @discardableResult
  public mutating func apply(_ change: RegistryChange) throws(RegistryError) -> RegistryOutcome {
    var edit = RegistryEdit(self)
    switch change {
    case .add(let addition): try edit.add(addition)
    case .remove(let identifier, let leavesTombstone):
      try edit.remove(identifier, leavesTombstone: leavesTombstone)
    case .rename(let identifier, let displayName, let ssid):
      try edit.rename(identifier, displayName: displayName, ssid: ssid)
    case .setState(let identifier, let state): try edit.changeAccessory(identifier) { $0.state = state }
    case .authorize(let identifier, let ssid, let bridgingIdentifier):
      try edit.authorize(identifier, ssid: ssid, bridgingIdentifier: bridgingIdentifier)
    case .setSSID(let identifier, let ssid): try edit.setSSID(identifier, ssid)
    case .extend(let identifier, let extending): try edit.extend(identifier, extending)
    case .addAddress(let identifier, let address): try edit.addAddress(identifier, address)
    case .setBond(let identifier, let bond, let identity):
      try edit.setBond(identifier, bond, identity: identity)
    case .allow(let app, let identity): try edit.allow(app: app, identity)
    case .confirmAccount(let app, let account): try edit.confirmAccount(app: app, account)
    }
    self = edit.registry
    return edit.outcome
  }
}
