// SPDX-License-Identifier: GPL-3.0-or-later

package import Manifest

extension TableReader {
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

  /// The name of an account.
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
