// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// Reads a manifest: TOML text to values, with everything that is wrong or doubtful said at once.
public enum ManifestReader {
  /// Pure but for `accounts`. Any bytes give a manifest or diagnostics.
  public static func read(
    text: [UInt8], fileName: String, accounts: AccountDirectory = .silent
  ) -> ManifestReading {
    DocumentReader.read(text: text, fileName: fileName, schema: GatewayManifest.schema) { root, log in
      let manifest = GatewayManifest(TableReader(root, at: ManifestKeyPath(), log: log))
      let diagnostics = ManifestRules.diagnostics(
        in: manifest, accounts: accounts, unreadable: log.unreadable)
      return (manifest, diagnostics)
    }
  }
}

extension GatewayManifest {
  fileprivate init(_ table: TableReader<RootKey>) {
    self.init()
    table.require(.schema)
    _ = table.integer(.schema, in: Self.schema...Self.schema)
    gateway = Gateway(table.table(.gateway))
    gateway.capacities.read(table.table(.capacity))
    gateway.limits.read(table.table(.limits))
    apps = App.all(in: table)
  }
}
