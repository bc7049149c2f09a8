// SPDX-License-Identifier: GPL-3.0-or-later

package import Manifest

/// Reads one table with a fixed set of keys: each key gives a value or a diagnostic; other keys are reported.
package struct TableReader<Key: ManifestKey> {
  package let path: ManifestKeyPath
  package let log: DiagnosticLog
  private let nodes: [String: TomlNode]
  /// Whether the value is not a table, so that no key can be missing from it.
  private let isIllegible: Bool

  /// Reads a node; nil is read as an empty table.
  package init(_ node: TomlNode?, at path: ManifestKeyPath, log: DiagnosticLog) {
    self.path = path
    self.log = log
    let found = node.map { Self.entries(of: $0, at: path, log: log) } ?? []
    let entries = found ?? []
    self.isIllegible = found == nil
    self.nodes = Dictionary(entries.map { ($0.key, $0.node) }, uniquingKeysWith: { first, _ in first })
    for entry in entries where Key(rawValue: entry.key) == nil { reportUnknown(entry.key) }
  }

  package func node(_ key: Key) -> TomlNode? { nodes[key.rawValue] }

  package func path(_ key: Key) -> ManifestKeyPath { path.appending(key) }

  /// Reports a missing key, at the table.
  package func reportMissing(_ problem: FormatDiagnostic) {
    if !isIllegible { log.report(problem, at: path) }
  }

  /// Reports a required key that is missing.
  package func require(_ key: Key) {
    if node(key) == nil { reportMissing(.missing(key: key.rawValue)) }
  }

  package func report(_ problem: FormatDiagnostic, at key: Key) { log.report(problem, at: path(key)) }

  /// Returns the table under a key.
  package func table<Inner: ManifestKey>(_ key: Key, of keys: Inner.Type = Inner.self) -> TableReader<Inner> {
    TableReader<Inner>(node(key), at: path(key), log: log)
  }

  /// Returns the tables of a list, each with its path.
  package func tables<Inner: ManifestKey>(_ key: Key, of keys: Inner.Type = Inner.self) -> [TableReader<
    Inner
  >] {
    elements(key, expected: .tables).map { TableReader<Inner>($0.node, at: $0.path, log: log) }
  }

  /// Returns the elements of a list, each with its path.
  package func elements(
    _ key: Key, expected: FormatDiagnostic.Expectation
  ) -> [(node: TomlNode, path: ManifestKeyPath)] {
    guard let node = node(key) else { return [] }
    guard case .array(let elements) = node.value else {
      report(.wrongKind(found: node.kindName, expected: expected), at: key)
      return []
    }
    return elements.enumerated().map { ($1, path(key).appending(index: $0)) }
  }

  private static func entries(
    of node: TomlNode, at path: ManifestKeyPath, log: DiagnosticLog
  ) -> [TomlNode.Entry]? {
    if case .table(let entries) = node.value { return entries }
    log.report(.wrongKind(found: node.kindName, expected: .table), at: path)
    return nil
  }

  private func reportUnknown(_ key: String) {
    let known = Key.allCases.map(\.rawValue)
    let suggestion = KeywordSuggestion.nearest(to: key, among: known + Key.neighbours)
    log.report(.unknownKey(suggestion: suggestion, known: known), at: path.appending(key))
  }
}
