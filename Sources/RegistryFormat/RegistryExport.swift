// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
public import Registry

/// A registry as lines of JSON without line feeds, without the keys of bonds unless they are asked for: a first line with the version and the number of
/// rows, then each row with the names of the file's columns, in the order of tables and numbers.
///
/// Text is text, other bytes are lower-case hexadecimal digits, absent values are left out. Each call of `next()`
/// writes one line.
public struct RegistryExport: Sequence, IteratorProtocol, Sendable {
  /// The version in the first line: that of the tables with these columns. Version 1 had no former identifiers, version 2
  /// no keys of bonds, version 3 no removals of bonds and no Wi-Fi Aware, version 4 no sizes of bluetoothd's keys, version 5
  /// no rhythms.
  public static let version: Int64 = 6

  private let rows: [RegistryRow]
  private let includesKeys: Bool
  /// The number of lines returned so far.
  private var count = 0

  /// `includesKeys`: who reads the lines can act as the gateway towards its accessories.
  public init(_ registry: AccessoryRegistry, includesKeys: Bool = false) {
    rows = registry.rows
    self.includesKeys = includesKeys
  }

  public mutating func next() -> String? {
    guard count <= rows.count else { return nil }
    defer { count += 1 }
    var json = JSONWriter()
    json.line { count == 0 ? head(&$0) : rows[count - 1].write(to: &$0, includesKeys: includesKeys) }
    // The caller that prints the line adds its line feed.
    return String(decoding: json.takeBytes().dropLast(), as: UTF8.self)
  }

  private func head(_ json: inout JSONWriter) {
    json.member(ExportKey.version, Self.version)
    json.member(ExportKey.rowCount, rows.count)
  }
}

/// The names in exports that are not columns.
enum ExportKey {
  static let version = "registry"
  static let rowCount = "rows"
  static let table = "row"
}

extension RegistryRow {
  fileprivate func write(to json: inout JSONWriter, includesKeys: Bool) {
    let values = values
    json.member(ExportKey.table, table.rawValue)
    for column in table.columns where includesKeys || !column.isSecret {
      switch values[column.name] {
      case .integer(let integer): json.member(column.name, integer)
      case .text(let text): json.member(column.name, text)
      case .bytes(let bytes): json.member(column.name, Hex(bytes))
      case .null, .unsupported: break
      }
    }
  }
}
