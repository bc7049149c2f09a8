// SPDX-License-Identifier: GPL-3.0-or-later

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
    self.manifest = manifest
    self.accounts = accounts
    self.board = board
    self.unreadable = unreadable
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
}
