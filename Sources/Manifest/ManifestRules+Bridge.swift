// SPDX-License-Identifier: GPL-3.0-or-later

extension ManifestRules {
  /// Checks that each bridge has a user of its own, and sees something, but not everything.
  mutating func checkBridges() {
    var paths: [String: ManifestKeyPath] = [:]
    for bridge in manifest.bridges {
      let path = ManifestKeyPath().appending(RootKey.bridge).appending(bridge.name)
      check(.user(bridge.user), of: "bridge", at: path)
      if let first = paths[bridge.user], !bridge.user.isEmpty {
        report(.repeatedUser(of: first), at: path, BridgeKey.user)
      } else {
        paths[bridge.user] = path
      }
      guard isLegible(path), isLegible(ManifestKeyPath().appending(RootKey.app)) else { continue }
      if bridge.forward == .everything {
        report(.seesEverything(ofEveryApp: bridge.seesEverything), at: path, BridgeKey.forward)
      } else if !manifest.apps.contains(where: { bridge.apps.includes($0.name) && !$0.items.isEmpty }) {
        report(.seesNothing(ofEveryApp: bridge.apps == nil), at: path)
      }
    }
  }
}

extension Set<String>? {
  /// Whether an app is among them; nil has every app.
  public func includes(_ app: String) -> Bool { self?.contains(app) ?? true }
}
