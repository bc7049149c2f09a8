// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
import ManifestFormat

/// Sets keys of `[gateway]` in the text of a manifest. Comments, order and everything else in the text stay as they are.
public struct ManifestSettings {
  private var text: [UInt8]

  /// Returns the text with string values for these keys: a key that is there gets the new value, another one is added at
  /// the end of its table. The text must be a manifest without errors.
  public static func set(
    _ values: [(key: GatewayKey, value: String)], in text: [UInt8]
  ) throws(ManifestAdditionError) -> [UInt8] {
    let before = ManifestReader.read(text: text, fileName: "")
    guard let old = before.manifest else { throw .brokenManifest(before.diagnostics) }
    var settings = ManifestSettings(text: text)
    for (key, value) in values { try settings.set(key, to: Array(ManifestText.quoted(value).utf8)) }
    let after = ManifestReader.read(text: settings.text, fileName: "")
    guard let new = after.manifest else { throw .refused(after.diagnostics) }
    guard new.apps == old.apps else { throw .unusualLayout }
    return settings.text
  }

  private mutating func set(_ key: GatewayKey, to value: [UInt8]) throws(ManifestAdditionError) {
    let statements = TomlStatement.all(in: text)
    guard let header = statements.firstIndex(where: { $0.headerPath(in: text) == ["gateway"] }) else {
      // The table may be written in another way.
      guard !statements.contains(where: { $0.key(in: text)?.hasPrefix("gateway") ?? false }) else {
        throw .unusualLayout
      }
      return addTable(key, value, after: statements)
    }
    let end = statements[(header + 1)...].firstIndex { $0.isHeader } ?? statements.endIndex
    let table = statements[header..<end]
    if let present = table.first(where: { $0.key(in: text) == key.rawValue }) {
      let line = text[present.start..<present.meaningfulEnd]
      guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { throw .unusualLayout }
      let start = text[(sign + 1)..<present.meaningfulEnd].firstIndex { $0 != 0x20 && $0 != 0x09 }
      return text.replaceSubrange((start ?? sign + 1)..<present.meaningfulEnd, with: value)
    }
    let last = table.last { $0.isMeaningful } ?? statements[header]
    insert(line(key, value), at: last.end)
  }

  /// Adds the table before the first other one, after the keys of the top level.
  private mutating func addTable(_ key: GatewayKey, _ value: [UInt8], after statements: [TomlStatement]) {
    let end = statements.firstIndex { $0.isHeader } ?? statements.endIndex
    let last = statements[..<end].last { $0.isMeaningful }
    insert(lineBreak + Array("[gateway]".utf8) + lineBreak + line(key, value), at: last?.end ?? 0)
  }

  private mutating func insert(_ bytes: [UInt8], at offset: Int) {
    let isOnNewLine = offset == 0 || text[offset - 1] == UInt8(ascii: "\n")
    text.insert(contentsOf: (isOnNewLine ? [] : lineBreak) + bytes, at: offset)
  }

  private func line(_ key: GatewayKey, _ value: [UInt8]) -> [UInt8] {
    Array("\(key.rawValue) = ".utf8) + value + lineBreak
  }

  private var lineBreak: [UInt8] { Array((text.contains(0x0D) ? "\r\n" : "\n").utf8) }
}
