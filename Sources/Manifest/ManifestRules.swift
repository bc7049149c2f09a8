// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery

/// The rules for the meaning of a manifest.
///
/// A rule is skipped when a value that it needs could not be read from the text, so that one mistake gives one diagnostic;
/// all others hold, so that one check lists everything.
public struct ManifestRules {
  let manifest: GatewayManifest
  let accounts: AccountDirectory
  /// The profile of the manifest's board; nil when it was not looked up.
  let board: BoardProfile?
  private(set) var diagnostics: [ManifestDiagnostic] = []
  private let unreadable: Set<ManifestKeyPath>
  /// The paths of unreadable values and of everything that contains one.
  private let doubtful: Set<ManifestKeyPath>

  /// Returns all diagnostics of a manifest, in its order. `unreadable` are the keys of the text that gave no value;
  /// `board` looks up a profile by its name.
  public static func diagnostics(
    in manifest: GatewayManifest, accounts: AccountDirectory = .silent,
    board: (String) -> BoardProfile? = { _ in nil }, unreadable: Set<ManifestKeyPath> = []
  ) -> [ManifestDiagnostic] {
    var rules = ManifestRules(manifest, accounts, board(manifest.gateway.board), unreadable)
    rules.checkGateway()
    for app in manifest.apps { rules.check(app) }
    rules.checkBridges()
    rules.checkOverlaps()
    return rules.diagnostics
  }

  /// Returns all diagnostics of a descriptor that an app passes in a call; paths begin at the descriptor.
  public static func diagnostics(
    in descriptor: DiscoveryDescriptor, of app: App, isAlternate: Bool = false
  ) -> [ManifestDiagnostic] {
    var rules = ManifestRules(GatewayManifest(), .silent, nil, [])
    rules.check(descriptor, of: app, at: ManifestKeyPath())
    if isAlternate { rules.checkAlternate(descriptor, at: ManifestKeyPath()) }
    return rules.diagnostics
  }

  private init(
    _ manifest: GatewayManifest, _ accounts: AccountDirectory, _ board: BoardProfile?,
    _ unreadable: Set<ManifestKeyPath>
  ) {
    (self.manifest, self.accounts, self.board, self.unreadable) = (manifest, accounts, board, unreadable)
    self.doubtful = unreadable.reduce(into: []) { doubtful, path in
      var place: ManifestKeyPath? = path
      while let current = place, doubtful.insert(current).inserted { place = current.parent }
    }
  }

  mutating func report(_ kind: ManifestDiagnostic.Kind, at path: ManifestKeyPath) {
    diagnostics.append(ManifestDiagnostic(path: path, kind: kind))
  }

  mutating func report(_ kind: ManifestDiagnostic.Kind, at table: ManifestKeyPath, _ key: some ManifestKey) {
    report(kind, at: table.appending(key))
  }

  /// Whether the value at a path, with everything below it, could be read.
  func isLegible(_ path: ManifestKeyPath) -> Bool { !doubtful.contains(path) }

  /// Whether the values of these keys of a table could be read.
  func areLegible(_ keys: some Sequence<some ManifestKey>, in table: ManifestKeyPath) -> Bool {
    doubtful.isEmpty || keys.allSatisfy { isLegible(table.appending($0)) }
  }

  /// Whether a table has a key with a value that could not be read. Without a table nothing is known.
  func isUnreadable(_ key: some ManifestKey, in table: ManifestKeyPath) -> Bool {
    unreadable.contains(table.appending(key)) && !unreadable.contains(table)
  }

  static func path(ofApp name: String) -> ManifestKeyPath {
    ManifestKeyPath().appending(RootKey.app).appending(name)
  }

  static func path(ofItem index: Int, inApp name: String) -> ManifestKeyPath {
    path(ofApp: name).appending(AppKey.item).appending(index: index)
  }

  private mutating func check(_ app: App) {
    let path = Self.path(ofApp: app.name)
    check(app.account, of: "app", at: path)
    checkRepeatedItems(of: app)
    for (index, item) in app.items.enumerated() {
      check(item, of: app, at: Self.path(ofItem: index, inApp: app.name))
    }
  }

  private mutating func check(_ item: DisplayItem, of app: App, at path: ManifestKeyPath) {
    let descriptorPath = path.appending(ItemKey.descriptor)
    check(item.descriptor, of: app, selection: item.selection, at: descriptorPath)
    checkSelection(of: item, at: path)
    checkPairing(of: item, at: path)
    checkReach(of: item, at: descriptorPath)
    if let alternate = item.alternate {
      check(alternate, of: app, at: path.appending(ItemKey.alternate))
      checkAlternate(alternate, at: path.appending(ItemKey.alternate))
    }
    checkEffects(of: item, at: path)
    if item.sendsOnlyOnEvents, let percent = board?.listeningPercent {
      report(.missesEvents(listeningPercent: percent), at: path)
    }
    let gatePath = path.appending(ItemKey.gate)
    if let key = item.keyThatLosesBetweenEvents, areLegible([key], in: gatePath) {
      report(.losesBetweenEvents(key), at: gatePath, key)
    }
    check(item.gate, of: item, at: gatePath)
  }

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
