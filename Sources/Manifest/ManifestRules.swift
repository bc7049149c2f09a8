// SPDX-License-Identifier: GPL-3.0-or-later

/// The rules for the meaning of a manifest.
///
/// They skip values that could not be read from the text, so that one mistake gives one diagnostic.
public struct ManifestRules {
  let manifest: GatewayManifest
  let accounts: AccountDirectory
  private(set) var diagnostics: [ManifestDiagnostic] = []
  /// The paths of unreadable values and of everything that contains one.
  private let doubtful: Set<ManifestKeyPath>

  /// Returns all diagnostics of a manifest, in its order. `unreadable` are the keys of the text that gave no value.
  public static func diagnostics(
    in manifest: GatewayManifest, accounts: AccountDirectory = .silent, unreadable: Set<ManifestKeyPath> = []
  ) -> [ManifestDiagnostic] {
    var rules = ManifestRules(manifest, accounts, unreadable)
    rules.checkGateway()
    for app in manifest.apps { rules.check(app) }
    rules.checkOverlaps()
    return rules.diagnostics
  }

  /// Returns all diagnostics of a descriptor that an app passes in a call; paths begin at the descriptor.
  public static func diagnostics(
    in descriptor: DiscoveryDescriptor, of app: App, isAlternate: Bool = false
  ) -> [ManifestDiagnostic] {
    var rules = ManifestRules(GatewayManifest(), .silent, [])
    rules.check(descriptor, of: app, at: ManifestKeyPath())
    if isAlternate { rules.checkAlternate(descriptor, at: ManifestKeyPath()) }
    return rules.diagnostics
  }

  private init(_ manifest: GatewayManifest, _ accounts: AccountDirectory, _ unreadable: Set<ManifestKeyPath>)
  {
    self.manifest = manifest
    self.accounts = accounts
    self.doubtful = unreadable.reduce(into: []) { doubtful, path in
      var place: ManifestKeyPath? = path
      while let current = place, doubtful.insert(current).inserted { place = current.parent }
    }
  }

  mutating func report(_ kind: ManifestDiagnostic.Kind, at path: ManifestKeyPath) {
    diagnostics.append(ManifestDiagnostic(path: path, kind: kind))
  }

  /// Whether the value at a path, with everything below it, could be read.
  func isLegible(_ path: ManifestKeyPath) -> Bool { !doubtful.contains(path) }

  static func path(ofApp name: String) -> ManifestKeyPath {
    ManifestKeyPath().appending(RootKey.app).appending(name)
  }

  static func path(ofItem index: Int, inApp name: String) -> ManifestKeyPath {
    path(ofApp: name).appending(AppKey.item).appending(index: index)
  }

  private mutating func check(_ app: App) {
    let path = Self.path(ofApp: app.name)
    check(app.account, at: path)
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
    check(item.gate, of: item, at: path.appending(ItemKey.gate))
  }
}
