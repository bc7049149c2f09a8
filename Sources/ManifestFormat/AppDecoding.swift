// SPDX-License-Identifier: GPL-3.0-or-later

package import Manifest

extension App {
  /// Returns the apps in the order of the text.
  static func all(in root: TableReader<RootKey>) -> [App] {
    root.namedTables(.app).map { App(name: $0, $1) }
  }

  private init(name: String, _ table: TableReader<AppKey>) {
    self.init(name: name, account: Account(table))
    hasOwnSocket = table.boolean(.socket) ?? hasOwnSocket
    supports = Set(Technology.list(in: table))
    companyIdentifiers = table.companyIdentifiers()
    services = Set(table.parsedTexts(.services, .serviceUUID, IdentifierText.serviceUUID))
    names = Set(
      table.texts(.names).compactMap { table.checkedName($0.text, at: $0.path).map { Array($0.utf8) } })
    items = table.tables(.item).map { DisplayItem($0) }
  }
}

extension App.Account {
  /// Reads exactly one of `user` and `group`; without either, the account is a user with an empty name.
  fileprivate init(_ table: TableReader<AppKey>) {
    let (user, group) = (table.account(.user), table.account(.group))
    switch (table.node(.user), table.node(.group)) {
    case (nil, nil): table.reportMissing(.noAccount)
    case (.some, .some): table.report(.twoAccounts, at: .group)
    default: break
    }
    self = group.map { .group($0) } ?? .user(user ?? "")
  }
}

extension App.Technology {
  fileprivate static func list(in table: TableReader<AppKey>) -> [App.Technology] {
    table.require(.supports)
    table.refuseEmptyList(.supports)
    return table.words(.supports, among: allCases.map { ($0.rawValue, $0) })
  }
}

extension TableReader<AppKey> {
  /// Reads strings, or integers as third-party guides write them.
  fileprivate func companyIdentifiers() -> Set<UInt16> {
    let found = elements(.companyIdentifiers, expected: .texts)
    return Set(found.compactMap { companyIdentifier($0.node, at: $0.path) })
  }

  fileprivate func parsedTexts<Value>(
    _ key: AppKey, _ expected: FormatDiagnostic.Expectation, _ parse: (String) -> Value?
  ) -> [Value] {
    texts(key).compactMap { element in
      if let value = parse(element.text) { return value }
      log.report(.malformed(found: element.text, expected: expected), at: element.path)
      return nil
    }
  }
}

extension TableReader {
  /// `"0x004C"`, `"004C"` or `76`.
  package func companyIdentifier(_ node: TomlNode, at path: ManifestKeyPath) -> UInt16? {
    if case .integer(let number) = node.value {
      if let value = UInt16(exactly: number) { return value }
      log.report(.outOfRange(found: number, least: 0, most: Int64(UInt16.max)), at: path)
      return nil
    }
    guard let text = text(node, at: path) else { return nil }
    if let value = IdentifierText.companyIdentifier(text) { return value }
    log.report(.malformed(found: text, expected: .companyIdentifier), at: path)
    return nil
  }
}

extension Bridge {
  /// Returns the bridges in the order of the text. They name apps among `apps`.
  static func all(in root: TableReader<RootKey>, _ apps: [App]) -> [Bridge] {
    root.namedTables(.bridge).map { Bridge(name: $0, $1, apps) }
  }

  private init(name: String, _ table: TableReader<BridgeKey>, _ known: [App]) {
    table.require(.user)
    self.init(name: name, user: table.account(.user) ?? "")
    table.read(.forward, into: &forward)
    if table.node(.apps) != nil {
      apps = Set(table.words(.apps, among: known.map { ($0.name, $0.name) }))
      table.refuseEmptyList(.apps)
    }
    may = Set(table.words(.may, among: BridgePermission.allCases.map { ($0.rawValue, $0) }))
  }
}
