// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import ManifestFormat
import Testing

/// The tables of the manifest's keys in Config/README.md, made by asking the reader about each key.
@Suite("The tables of keys in Config/README.md")
struct KeyTableTests {
  private static let page = Fixtures.package + "/Config/README.md"
  private static let begin = "<!-- The tables are written by KeyTableTests with RECORD_GOLDEN=1. -->\n"
  private static let end = "<!-- The end of the tables. -->\n"

  @Test("They list every key that the reader knows, with what it accepts and its default")
  func tables() throws {
    let tables = try KeyTable.all()
    let text = String(decoding: try Fixtures.bytes(of: Self.page), as: UTF8.self)
    let head = try #require(text.split(separator: Self.begin, omittingEmptySubsequences: false).first)
    let tail = try #require(text.split(separator: Self.end, omittingEmptySubsequences: false).last)
    let expected = String(head) + Self.begin + tables + Self.end + tail
    if Fixtures.isRecording { return try Fixtures.write(expected, to: Self.page) }
    for (found, wanted) in zip(text.split(separator: "\n"), expected.split(separator: "\n")) {
      try #require(found == wanted, "RECORD_GOLDEN=1 Scripts/test --filter KeyTableTests writes the tables")
    }
    #expect(text == expected)
  }
}

/// One table of the manifest, whose keys are probed with values that the reader refuses.
private struct KeyTable {
  /// A manifest without mistakes in which every table occurs: headers, and under each the lines that it needs.
  private static let base: [(header: String, lines: [String])] = [
    ("", ["schema = 1"]), ("[gateway]", []), ("[capacity]", []), ("[limits]", []),
    ("[app.NAME]", [#"user = "u""#, #"supports = ["Bluetooth", "WiFi"]"#]),
    ("[bridge.NAME]", [#"user = "u""#]),
    (
      "[[app.NAME.item]]",
      [#"name = "N""#, #"descriptor.ssid = "n""#, #"descriptor.wifi-aware-service-name = "s""#]
    ),
  ]
  /// What stands for a default where another key decides.
  private static let notes = [
    "app.NAME.item[0].id": "from `name`", "app.NAME.user": "this or `group`",
    "app.NAME.group": "this or `user`", "bridge.NAME.apps": "every app",
  ]
  /// No form accepts it; only free text does.
  private static let wrongText = "a/?"

  let header: String
  /// The path of the table in diagnostics.
  let path: String
  let keys: [String]

  static func all() throws -> String {
    let item =
      names(ItemKey.self) + names(DescriptorKey.self, "descriptor.") + names(GateKey.self, "gate.")
    let tables = [
      KeyTable(header: "[gateway]", path: "gateway", keys: names(GatewayKey.self)),
      KeyTable(header: "[capacity]", path: "capacity", keys: names(CapacityKey.self)),
      KeyTable(header: "[limits]", path: "limits", keys: names(LimitsKey.self)),
      KeyTable(header: "[app.NAME]", path: "app.NAME", keys: names(AppKey.self)),
      KeyTable(header: "[[app.NAME.item]]", path: "app.NAME.item[0]", keys: item),
      KeyTable(header: "[bridge.NAME]", path: "bridge.NAME", keys: names(BridgeKey.self)),
    ]
    let example = String(decoding: try Fixtures.example(), as: UTF8.self).split(separator: "\n")
    return tables.map { $0.text(example) }.joined(separator: "")
  }

  private static func names<Key: ManifestKey>(_ keys: Key.Type, _ prefix: String = "") -> [String] {
    keys.allCases.map { prefix + $0.rawValue }
  }

  private func text(_ example: [Substring]) -> String {
    let rows = keys.compactMap { key -> String? in
      guard let (kind, values) = accepted(key) else {
        #expect(!read(key, "true").diagnostics.isEmpty, "the reader does not read \(path).\(key)")
        return nil
      }
      return "| `\(key)` | \(kind) | \(values) | \(standard(key, values, example)) |\n"
    }
    let head = "\n### `\(header)`\n\n| key | type | values | default |\n| --- | --- | --- | --- |\n"
    return head + rows.joined(separator: "") + (path == "bridge.NAME" ? "\n" : "")
  }

  /// The type of a key's value, and the values that the reader accepts; nil for a key that holds tables.
  private func accepted(_ key: String) -> (kind: String, values: String)? {
    switch rest(key, "true", after: "this is a boolean; it must be ") {
    case "an integer without quotes":
      ("integer", rest(key, "\(Int64.max)", after: "is out of range; use ") ?? "")
    case nil where rest(key, "1", after: "this is an integer; it must be ") == "true or false, without quotes":
      ("boolean", "true or false")
    case "a string in quotes": ("string", texts(key) { "\"\($0)\"" })
    case #"a list of strings, ["…"]"#: ("list", "each " + texts(key) { "[\"\($0)\"]" })
    default: nil
    }
  }

  private func texts(_ key: String, _ quoted: (String) -> String) -> String {
    let wrong = quoted(Self.wrongText)
    let long = quoted(String(repeating: "x", count: 5000))
    return rest(key, wrong, after: "is not known; use ")
      ?? rest(key, wrong, after: "does not fit; it must be ")
      ?? rest(key, long, after: "; at most ").map { "1 to \($0.split(separator: " ")[0]) bytes" } ?? ""
  }

  /// The value that changes nothing; otherwise what else applies without the key.
  private func standard(_ key: String, _ values: String, _ example: [Substring]) -> String {
    if let note = Self.notes["\(path).\(key)"] { return note }
    let without = read(key, nil)
    if without.diagnostics.contains(where: { $0.message.hasPrefix("\(key) is missing;") }) {
      return "required"
    }
    let shown = example.filter { $0.hasPrefix("\(key) = ") }.map { String($0.dropFirst(key.count + 3)) }
    // Every other part of the text stands between quotes.
    let words = values.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { "\"\($0.element)\"" }
    let equal = (shown + words + ["[]"]).first { value in
      guard let manifest = read(key, value).manifest else { return false }
      return manifest == without.manifest
    }
    return equal.map { "`\($0)`" } ?? "none"
  }

  /// What follows `marker` in what the reader says about the key when it has this value.
  private func rest(_ key: String, _ value: String, after marker: String) -> String? {
    for diagnostic in read(key, value).diagnostics
    where diagnostic.keyPath == "\(path).\(key)" || diagnostic.keyPath.hasPrefix("\(path).\(key)[") {
      let parts = diagnostic.message.split(separator: marker, omittingEmptySubsequences: false)
      if parts.count == 2 { return String(parts[1]) }
    }
    return nil
  }

  /// Reads the base with another value for the key, or without the key.
  private func read(_ key: String, _ value: String?) -> ManifestReading {
    let text = Self.base.map { header, lines in
      guard header == self.header else { return ([header] + lines).joined(separator: "\n") }
      let kept = lines.filter { !$0.hasPrefix("\(key) = ") }
      return ([header] + kept + (value.map { ["\(key) = \($0)"] } ?? [])).joined(separator: "\n")
    }
    return ManifestReader.read(text: Array((text.joined(separator: "\n") + "\n").utf8), fileName: "m")
  }
}
