// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery

extension ManifestRules {
  /// Sizes that contain one another.
  mutating func checkGateway() {
    let root = ManifestKeyPath()
    let sizes = manifest.gateway.capacities
    if isLegible(root.appending(RootKey.capacity)), sizes.matchesPerItem > sizes.devices {
      report(
        .contradiction(
          .above(
            key: CapacityKey.devices.rawValue, value: Int(sizes.matchesPerItem), most: Int(sizes.devices))),
        at: root.appending(RootKey.capacity).appending(CapacityKey.matchesPerItem))
    }
    let limits = manifest.gateway.limits
    let path = root.appending(RootKey.limits)
    guard isLegible(path) else { return }
    for (key, value, most) in [
      (LimitsKey.connectionsPerUser, limits.connectionsPerUser, limits.connections),
      (LimitsKey.connectionsForOperators, limits.connectionsForOperators, limits.connections - 1),
    ] where value > most {
      report(
        .contradiction(.above(key: LimitsKey.connections.rawValue, value: Int(value), most: Int(most))),
        at: path.appending(key))
    }
  }

  /// Who the app's account is, when the system can say.
  mutating func check(_ account: App.Account, at path: ManifestKeyPath) {
    let key = account.isUser ? AppKey.user : AppKey.group
    guard isLegible(path.appending(key)), isLegible(path.appending(AppKey.group)) else { return }
    guard !account.name.isEmpty else { return }
    switch accounts.lookUp(account) {
    case .unknown: report(.doubt(.unknownAccount(account)), at: path.appending(key))
    case .known(Self.overflowID) where account.isUser:
      report(.overflowAccount(account), at: path.appending(key))
    case .known, .noAnswer: break
    }
  }

  /// What the kernel shows for accounts that it cannot express (`/proc/sys/kernel/overflowuid`): peers that look like
  /// this are refused, whoever they are.
  private static let overflowID: UInt32 = 65_534
}

extension App.Account {
  /// The name in the account database.
  public var name: String {
    switch self {
    case .user(let name), .group(let name): name
    }
  }

  /// Whether it names a user.
  public var isUser: Bool {
    switch self {
    case .user: true
    case .group: false
    }
  }
}
