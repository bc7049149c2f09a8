// SPDX-License-Identifier: GPL-3.0-or-later

package import Manifest

/// Reads one table with a fixed set of keys: each key gives a value or a diagnostic; other keys are reported.
///
/// A misspelt key is also read as the key that was probably meant, so that what it says is checked in the same round.
package struct TableReader<Key: ManifestKey> {
  package let path: ManifestKeyPath
  package let log: DiagnosticLog
  private let nodes: [String: TomlNode]
  /// Values under keys that belong into a table below this one, by the path that was probably meant.
  private let strays: [(path: String, key: String, node: TomlNode)]
  /// Whether the value is not a table, so that no key can be missing from it.
  private let isIllegible: Bool

  /// Reads a node; nil is read as an empty table.
  package init(_ node: TomlNode?, at path: ManifestKeyPath, log: DiagnosticLog) {
    self.init(node, strays: [:], at: path, log: log)
  }

  /// `strays` are values of this table that the text has elsewhere.
  private init(
    _ node: TomlNode?, strays given: [String: TomlNode], at path: ManifestKeyPath, log: DiagnosticLog
  ) {
    (self.path, self.log) = (path, log)
    let found = node.map { Self.entries(of: $0, at: path, log: log) } ?? []
    let entries = found ?? []
    self.isIllegible = found == nil
    var nodes = Dictionary(entries.map { ($0.key, $0.node) }, uniquingKeysWith: { first, _ in first })
    nodes.merge(given) { own, _ in own }
    var strays: [(path: String, key: String, node: TomlNode)] = []
    for entry in entries where Key(rawValue: entry.key) == nil {
      guard let meant = Self.reportUnknown(entry.key, at: path, log) else { continue }
      if Key(rawValue: meant) == nil {
        strays.append((meant, entry.key, entry.node))
      } else if nodes[meant] == nil {
        nodes[meant] = entry.node
        log.note(path.appending(entry.key), standsFor: path.appending(meant))
      }
    }
    (self.nodes, self.strays) = (nodes, strays)
    if found == nil { for key in Key.allCases { log.noteUnreadable(path.appending(key)) } }
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
    var found: [String: TomlNode] = [:]
    for stray in strays where stray.path.hasPrefix("\(key.rawValue).") {
      let inner = String(stray.path.dropFirst(key.rawValue.count + 1))
      guard found[inner] == nil, node(key)?.entry(inner) == nil else { continue }
      found[inner] = stray.node
      log.note(path.appending(stray.key), standsFor: path(key).appending(inner))
    }
    return TableReader<Inner>(node(key), strays: found, at: path(key), log: log)
  }

  /// Returns the tables of a list, each with its path.
  package func tables<Inner: ManifestKey>(_ key: Key, of keys: Inner.Type = Inner.self) -> [TableReader<
    Inner
  >] {
    elements(key, expected: .tables).map { TableReader<Inner>($0.node, at: $0.path, log: log) }
  }

  /// Returns the tables of a table whose keys are names, in the order of the text.
  package func namedTables<Inner: ManifestKey>(
    _ key: Key, of keys: Inner.Type = Inner.self
  ) -> [(String, TableReader<Inner>)] {
    guard let node = node(key), let entries = Self.entries(of: node, at: path(key), log: log) else {
      return []
    }
    return entries.map { entry in
      let path = path(key).appending(entry.key)
      if !entry.key.isIdentifier {
        log.report(.malformed(found: entry.key, expected: .identifier), at: path)
      }
      return (entry.key, TableReader<Inner>(entry.node, at: path, log: log))
    }
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

  /// Returns the key that was probably meant.
  private static func reportUnknown(
    _ key: String, at path: ManifestKeyPath, _ log: DiagnosticLog
  ) -> String? {
    let known = Key.allCases.map(\.rawValue)
    let suggestion = KeywordSuggestion.nearest(to: key, among: known + Key.neighbours)
    log.report(.unknownKey(suggestion: suggestion, known: known), at: path.appending(key))
    return suggestion
  }

  /// A string of 1 to `byteCountMax` bytes.
  package func text(_ key: Key, byteCountMax: Int = 255) -> String? {
    node(key).flatMap { text($0, at: path(key), byteCountMax: byteCountMax) }
  }

  /// A name of a device or of an item.
  func name(_ key: Key, byteCountMax: Int = 255) -> String? {
    text(key, byteCountMax: byteCountMax).flatMap { checkedName($0, at: path(key)) }
  }

  /// Refuses a name that ends in NUL, which is part of no device's name.
  func checkedName(_ text: String, at path: ManifestKeyPath) -> String? {
    guard text.utf8.last == 0 else { return text }
    log.report(.endsInNUL, at: path)
    return nil
  }

  /// Returns the value that a string denotes.
  package func value<Value>(
    _ key: Key, _ expected: FormatDiagnostic.Expectation, _ parse: (String) -> Value?
  ) -> Value? {
    guard let text = text(key, byteCountMax: 4096) else { return nil }
    guard let value = parse(text) else {
      report(.malformed(found: text, expected: expected), at: key)
      return nil
    }
    return value
  }

  /// Replaces a default with an integer within bounds.
  package func read<Integer: FixedWidthInteger>(
    _ key: Key, into value: inout Integer, in bounds: ClosedRange<Integer>
  ) {
    value = integer(key, in: bounds) ?? value
  }

  /// An integer within bounds.
  package func integer<Integer: FixedWidthInteger>(_ key: Key, in bounds: ClosedRange<Integer>) -> Integer? {
    guard let node = node(key) else { return nil }
    guard case .integer(let number) = node.value else {
      report(.wrongKind(found: node.kindName, expected: .integer), at: key)
      return nil
    }
    guard let value = Integer(exactly: number), bounds.contains(value) else {
      report(
        .outOfRange(found: number, least: Int64(bounds.lowerBound), most: Int64(bounds.upperBound)), at: key)
      return nil
    }
    return value
  }

  /// `true` or `false`.
  package func boolean(_ key: Key) -> Bool? {
    guard let node = node(key) else { return nil }
    guard case .boolean(let value) = node.value else {
      report(.wrongKind(found: node.kindName, expected: .boolean), at: key)
      return nil
    }
    return value
  }

  /// Replaces a default with a case of an enumeration.
  package func read<Word: CaseIterable & RawRepresentable<String>>(_ key: Key, into value: inout Word) {
    value = word(key) ?? value
  }

  /// A word; nil if there is none, or an unknown one.
  package func word<Word: CaseIterable & RawRepresentable<String>>(_ key: Key) -> Word? {
    guard let text = text(key) else { return nil }
    return word(text, among: Word.allCases.map { ($0.rawValue, $0) }, at: path(key))
  }

  /// Returns the strings of a list with their paths; a repeated string is reported and returned once.
  package func texts(_ key: Key) -> [(text: String, path: ManifestKeyPath)] {
    var seen: Set<String> = []
    return elements(key, expected: .texts).compactMap { element in
      guard let text = text(element.node, at: element.path) else { return nil }
      guard seen.insert(text).inserted else {
        log.report(.repeated(found: text), at: element.path)
        return nil
      }
      return (text, element.path)
    }
  }

  /// Returns the union of the options that a list names.
  package func options<Options: OptionSet>(_ key: Key, _ names: [(String, Options)]) -> Options? {
    guard node(key) != nil else { return nil }
    return words(key, among: names).reduce(into: Options()) { $0.formUnion($1) }
  }

  /// Returns the values of a list's words.
  func words<Value>(_ key: Key, among known: [(String, Value)]) -> [Value] {
    texts(key).compactMap { word($0.text, among: known, at: $0.path) }
  }

  /// Reports a list without elements.
  func refuseEmptyList(_ key: Key) {
    if case .array(let elements)? = node(key)?.value, elements.isEmpty { report(.empty, at: key) }
  }

  func account(_ key: Key) -> String? { value(key, .accountName) { $0.isAccountName ? $0 : nil } }

  /// Returns the value of a known word; reports an unknown one, and reads it as the word that was probably meant.
  package func word<Value>(_ text: String, among known: [(String, Value)], at path: ManifestKeyPath) -> Value?
  {
    if let match = known.first(where: { $0.0 == text }) { return match.1 }
    let words = known.map(\.0)
    let suggestion = KeywordSuggestion.nearest(to: text, among: words)
    log.report(.unknownWord(found: text, suggestion: suggestion, known: words), at: path)
    return known.first { $0.0 == suggestion }?.1
  }

  package func text(_ node: TomlNode, at path: ManifestKeyPath, byteCountMax: Int = 255) -> String? {
    guard case .string(let text) = node.value else {
      log.report(.wrongKind(found: node.kindName, expected: .text), at: path)
      return nil
    }
    guard !text.isEmpty else {
      log.report(.empty, at: path)
      return nil
    }
    guard text.utf8.count <= byteCountMax else {
      log.report(.tooLong(byteCount: text.utf8.count, byteCountMax: byteCountMax), at: path)
      return nil
    }
    return text
  }
}
