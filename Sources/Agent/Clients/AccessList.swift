// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import Registry
import Setup

/// Which accounts may do what. Account names are resolved once, when the manifest is read.
public struct AccessList: Equatable, Sendable {
  /// Root and the agent's own account. Of the operators, only these may handle the keys of bonds.
  public var operatorUsers: Set<UInt32>
  /// The group `accessory`.
  public var operatorGroups: Set<UInt32>
  /// Apps by the user, or the group, whose processes may act as them.
  public var appsOfUser: [UInt32: Set<String>] = [:]
  public var appsOfGroup: [UInt32: Set<String>] = [:]
  /// The bridge that a user's processes are.
  public var bridgeOfUser: [UInt32: Bridge] = [:]
  /// Apps with a socket of their own.
  public var appsWithSocket: Set<String> = []
  /// The user ID that the kernel shows for users of another namespace. It has no rights.
  public var overflowUser: UInt32?

  public init(operatorUsers: Set<UInt32> = [0], operatorGroups: Set<UInt32> = [], overflowUser: UInt32? = nil)
  {
    self.operatorUsers = operatorUsers
    self.operatorGroups = operatorGroups
    self.overflowUser = overflowUser
  }

  /// The account of each app that has one.
  var accounts: [String: AccountID] {
    var accounts: [String: AccountID] = [:]
    for (group, apps) in appsOfGroup { for app in apps { accounts[app] = .group(group) } }
    for (user, apps) in appsOfUser { for app in apps { accounts[app] = .user(user) } }
    return accounts
  }

  /// The account of an app; nil when the system does not know it.
  public func account(ofApp app: String) -> AccountID? { accounts[app] }

  /// Returns what a peer may do; nil when it may do nothing. At an app's own socket its account counts for nothing.
  func rights(of peer: Peer) -> Rights? {
    if let app = peer.app {
      return appsWithSocket.contains(app) ? Rights(apps: [app]) : nil
    }
    guard peer.uid != overflowUser else { return nil }
    let isOperator = operatorUsers.contains(peer.uid) || !operatorGroups.isDisjoint(with: peer.groups)
    var apps = appsOfUser[peer.uid] ?? []
    for group in peer.groups { apps.formUnion(appsOfGroup[group] ?? []) }
    let rights = Rights(
      isOperator: isOperator, mayHandleKeys: operatorUsers.contains(peer.uid), apps: apps,
      bridge: isOperator ? nil : bridgeOfUser[peer.uid])
    return rights == .none ? nil : rights
  }
}

/// Which reports a client may have at most.
struct ReportRight: Equatable {
  let reader: ReportReader
  let forward: ReportForward
  /// Of accessories and items of these apps; nil for all.
  let apps: Set<String>?
}

/// What a client may do.
struct Rights: Equatable, Sendable {
  static let none = Rights()

  /// Whether the client may call the operators' methods.
  var isOperator = false
  /// Whether the client may read and write the keys of bonds.
  var mayHandleKeys = false
  /// The apps that the client may act as.
  var apps: Set<String> = []
  /// The bridge that the client is; nil for operators, who may do more.
  var bridge: Bridge?

  /// The apps about which operators' methods may answer; nil for all.
  var visibleApps: Set<String>? { isOperator ? nil : bridge.map(\.apps) ?? [] }

  /// The bridge, if there is anything that it may not see.
  var filteringBridge: Bridge? { bridge?.seesEverything == true ? nil : bridge }

  /// The app or bridge whose share of the connections it takes; nil for operators.
  var shareOwner: String? { isOperator ? nil : apps.min() ?? bridge.map { "bridge \($0.name)" } }

  /// Whether the client may call a method of the operators with this right of bridges.
  func mayCall(_ right: BridgeRight) -> Bool {
    switch right {
    case .never: isOperator
    case .always: isOperator || bridge != nil
    case .with(let right): isOperator || bridge?.may.contains(right) == true
    }
  }

  /// Which reports the client may have; nil for none.
  var reports: ReportRight? {
    if isOperator { return ReportRight(reader: .operator, forward: .everything, apps: nil) }
    return bridge.map { ReportRight(reader: .bridge, forward: $0.forward, apps: $0.apps) }
  }
}

/// The process at the other end of a connection, as the kernel named it when the connection was accepted. Nothing that
/// a message says changes it.
public struct Peer: Equatable, Sendable {
  public let process: Int32
  public let uid: UInt32
  /// Its group and its supplementary groups.
  public let groups: Set<UInt32>
  /// The app whose own socket it has connected to; nil at the agent's socket.
  public let app: String?

  public init(process: Int32, uid: UInt32, groups: Set<UInt32>, atSocketOf app: String? = nil) {
    self.process = process
    self.uid = uid
    self.groups = groups
    self.app = app
  }

  /// Whose sessions it reaches, and whose connections it is one of.
  var owner: SessionOwner { app.map { .socket(app: $0) } ?? .user(uid) }
}
