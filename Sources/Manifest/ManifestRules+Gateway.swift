// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery

extension ManifestRules {
  /// Checks the sizes that must not exceed one another, and settings without an effect.
  mutating func checkGateway() {
    if manifest.gateway.wifi != nil, !manifest.apps.contains(where: { $0.supports.contains(.wifi) }) {
      let path = ManifestKeyPath().appending(RootKey.gateway).appending(GatewayKey.wifi)
      report(.wifiInterfaceUnused, at: path)
    }
    let sizes = manifest.gateway.capacities
    check(CapacityKey.matchesPerItem, sizes.matchesPerItem, within: .devices, sizes.devices, in: .capacity)
    check(CapacityKey.accessories, sizes.accessories, within: .devices, sizes.devices, in: .capacity)
    let limits = manifest.gateway.limits
    check(
      LimitsKey.connectionsPerUser, limits.connectionsPerUser, within: .connections, limits.connections,
      in: .limits)
    check(
      LimitsKey.connectionsForOperators, limits.connectionsForOperators, within: .connections,
      limits.connections - 1, in: .limits)
  }

  private mutating func check<Key: ManifestKey>(
    _ key: Key, _ value: Int32, within other: Key, _ most: Int32, in table: RootKey
  ) {
    let path = ManifestKeyPath().appending(table)
    guard areLegible([key, other], in: path), value > most else { return }
    report(.above(other, value, most: most), at: path, key)
  }

  /// Checks that the account of an app or a bridge, as `role` says, exists, if the system knows.
  mutating func check(_ account: App.Account, of role: String, at path: ManifestKeyPath) {
    let key = account.isUser ? AppKey.user : AppKey.group
    guard isLegible(path.appending(key)), isLegible(path.appending(AppKey.group)) else { return }
    guard !account.name.isEmpty else { return }
    switch accounts.lookUp(account) {
    case .unknown: report(.unknownAccount(account, of: role), at: path, key)
    case .known(Self.overflowID) where account.isUser:
      report(.overflowAccount(account, of: role), at: path, key)
    case .known, .noAnswer: break
    }
  }

  /// The id that the kernel shows for accounts that it cannot express (`/proc/sys/kernel/overflowuid`). Every peer with
  /// this id is refused.
  private static let overflowID: UInt32 = 65_534

  /// Checks that each bridge has a user of its own, which is no operator, and sees something, but not everything.
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
      if isLegible(path.appending(BridgeKey.user)), accounts.isOperator(bridge.user) {
        report(.bridgeOfOperator(user: bridge.user), at: path, BridgeKey.user)
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

extension App.Account {
  /// The name in the account database.
  public var name: String {
    switch self {
    case .user(let name), .group(let name): name
    }
  }

  /// Whether it names a user.
  public var isUser: Bool { if case .user = self { true } else { false } }
}

extension Set<String>? {
  /// Whether an app is among them; nil has every app.
  public func includes(_ app: String) -> Bool { self?.contains(app) ?? true }
}
