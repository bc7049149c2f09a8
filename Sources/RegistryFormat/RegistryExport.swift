// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
public import Registry

/// A registry as lines of JSON without their ends, secrets left out: a first line that says the version and how many
/// rows follow, then each row with the names of the file's columns, in the order of tables and numbers.
///
/// Text is text, other octets are lower-case hexadecimal digits, what is not there is left out. One line is written at a
/// time, as it is asked for.
public struct RegistryExport: Sequence, IteratorProtocol, Sendable {
  /// What the first line says: the version of the tables whose columns these are.
  public static let version: Int64 = 1

  private let rows: [RegistryRow]
  /// Lines that were given.
  private var count = 0

  public init(_ registry: AccessoryRegistry) { rows = registry.rows }

  public mutating func next() -> String? {
    guard count <= rows.count else { return nil }
    defer { count += 1 }
    var json = JSONWriter()
    json.line { count == 0 ? head(&$0) : rows[count - 1].write(to: &$0) }
    // A line ends in a line feed, which whoever prints it adds.
    return String(decoding: json.takeBytes().dropLast(), as: UTF8.self)
  }

  private func head(_ json: inout JSONWriter) {
    json.member(ExportKey.version, Self.version)
    json.member(ExportKey.rowCount, rows.count)
  }
}

/// The names in exports that are no columns.
enum ExportKey {
  static let version = "registry"
  static let rowCount = "rows"
  static let table = "row"
}

extension RegistryRow {
  fileprivate func write(to json: inout JSONWriter) {
    let values = values
    json.member(ExportKey.table, table.rawValue)
    for column in table.columns where !column.isSecret {
      switch values[column.name] {
      case .integer(let integer): json.member(column.name, integer)
      case .text(let text): json.member(column.name, text)
      case .bytes(let bytes): json.member(column.name, Hex(bytes))
      case .null, .foreign: break
      }
    }
  }
}
