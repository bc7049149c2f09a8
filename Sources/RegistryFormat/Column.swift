// SPDX-License-Identifier: GPL-3.0-or-later

package import Registry

/// A column of a table: its name in the file and in exports.
package struct Column: Equatable, Sendable {
  package enum Kind: String, Sendable { case integer = "INTEGER", text = "TEXT", bytes = "BLOB" }

  package let name: String
  package let kind: Kind
  /// Whether every row has a value.
  package let isRequired: Bool
  /// Whether exports without keys leave the column out.
  package let isSecret: Bool
  /// The version of the file that added the column to its table; nil for the columns that the table began with.
  package let addedIn: Int64?
}

extension RegistryTable {
  /// In the order in which values are read, written and exported.
  package var columns: [Column] { Self.columns[self] ?? [] }

  private static let columns = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, RowCoder(writing: $0.blank).columns) })

  /// The version of the file that added the table.
  package var addedIn: Int64 {
    switch self {
    case .account, .device, .accessory, .tombstone: 1
    case .former: 3
    case .bondRemoval: 4
    }
  }
}

/// The value of one column of one row.
package enum Value: Equatable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  /// A floating-point number, or text that is not UTF-8; this program writes neither.
  case unsupported
}

/// A column with an invalid value.
package struct ColumnError: Error, Equatable, Sendable {
  package let column: String
}
