// SPDX-License-Identifier: GPL-3.0-or-later

private import LinuxSystem
public import Manifest

/// Reads a manifest from TOML text, with all its errors and warnings at once.
public enum ManifestReader {
  /// Pure except for `accounts` and `board`. Returns a manifest or diagnostics for any bytes.
  public static func read(
    text: [UInt8], fileName: String, accounts: AccountDirectory = .silent,
    board: (String) -> BoardProfile? = { _ in nil }
  ) -> ManifestReading {
    DocumentReader.read(text: text, fileName: fileName, schema: GatewayManifest.schema) { root, log in
      let manifest = GatewayManifest(TableReader(root, at: ManifestKeyPath(), log: log))
      let diagnostics = ManifestRules.diagnostics(
        in: manifest, accounts: accounts, board: board, unreadable: log.unreadable)
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
    bridges = Bridge.all(in: table, apps)
  }
}

/// The result of reading a file: its value, unless there is an error, and all diagnostics.
public struct Reading<Value: Sendable>: Sendable {
  public let fileName: String
  /// nil if a diagnostic is an error.
  public let value: Value?
  /// What could be read, whatever is wrong with it; nil if the text has another schema or no syntax.
  package let partialValue: Value?
  /// Ordered by line.
  public let diagnostics: [Diagnostic]

  init(fileName: String, value: Value?, diagnostics: [Diagnostic]) {
    self.fileName = fileName
    partialValue = value
    self.value = diagnostics.contains { $0.severity == .error } ? nil : value
    self.diagnostics = diagnostics.sorted()
  }

  /// `file:line: key path: sentence`, one diagnostic each.
  public var lines: [String] { diagnostics.map { $0.line(inFile: fileName) } }
}

/// The result of reading a manifest.
public typealias ManifestReading = Reading<GatewayManifest>

extension Reading where Value == GatewayManifest {
  /// nil if a diagnostic is an error.
  public var manifest: GatewayManifest? { value }
}

extension AccountDirectory {
  /// The user that the package runs the agent as.
  private static let agent = "accessoryd"

  /// The accounts of this machine.
  public static let system = AccountDirectory(
    operators: { $0 == agent || Accounts.belongs($0, toGroup: operatorGroup) }
  ) { account in
    let answer =
      switch account {
      case .user(let name): Accounts.user(named: name)
      case .group(let name): Accounts.group(named: name)
      }
    return switch answer {
    case .known(let id): .known(id: id)
    case .unknown: .unknown
    case .noAnswer: .noAnswer
    }
  }
}
