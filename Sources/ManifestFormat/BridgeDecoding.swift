// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest

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
