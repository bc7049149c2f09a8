// SPDX-License-Identifier: GPL-3.0-or-later

import Registry

/// Which accounts may do what; their names were resolved when the manifest was read, and only then.
public struct AccessList: Equatable, Sendable {
  /// Root, the agent's own account, and whoever else was named an operator.
  public var operatorUsers: Set<UInt32>
  /// The group `accessory`.
  public var operatorGroups: Set<UInt32>
  /// Apps by the user, or the group, whose processes may act as them.
  public var appsOfUser: [UInt32: Set<String>] = [:]
  public var appsOfGroup: [UInt32: Set<String>] = [:]
  /// The user that the kernel puts in place of those it cannot name here; nobody is behind it.
  public var overflowUser: UInt32?

  public init(operatorUsers: Set<UInt32> = [0], operatorGroups: Set<UInt32> = [], overflowUser: UInt32? = nil)
  {
    self.operatorUsers = operatorUsers
    self.operatorGroups = operatorGroups
    self.overflowUser = overflowUser
  }

  /// The account of each app that somebody may act as.
  var accounts: [String: AccountID] {
    var accounts: [String: AccountID] = [:]
    for (group, apps) in appsOfGroup { for app in apps { accounts[app] = .group(group) } }
    for (user, apps) in appsOfUser { for app in apps { accounts[app] = .user(user) } }
    return accounts
  }

  /// What a peer may do; nil when it may do nothing here.
  func rights(of peer: Peer) -> Rights? {
    guard peer.user != overflowUser else { return nil }
    let isOperator = operatorUsers.contains(peer.user) || !operatorGroups.isDisjoint(with: peer.groups)
    var apps = appsOfUser[peer.user] ?? []
    for group in peer.groups { apps.formUnion(appsOfGroup[group] ?? []) }
    return isOperator || !apps.isEmpty ? Rights(isOperator: isOperator, apps: apps) : nil
  }
}

/// What a client may do.
struct Rights: Equatable, Sendable {
  static let none = Rights(isOperator: false, apps: [])

  /// Sees sightings, reads status, answers requests.
  let isOperator: Bool
  /// The apps that it may act as.
  let apps: Set<String>
}
