// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import RegistryFormat

/// The tables of the database, and the migrations that create them.
package struct Schema: Sendable {
  /// "AKit": distinguishes registry files from other databases (the 32 bits at byte 68, sqlite.org, "Database File
  /// Format", 1.3).
  static let applicationID: Int64 = 0x414B_6974

  /// The statements that turn each version into the next; version 0 is an empty file.
  package var migrations: [[String]]
  /// The contents of `sqlite_schema` for the last version: the definition of every table, sorted by name.
  package var tables: [String]

  /// The version that this program writes.
  package static let current = Schema(
    migrations: (1...6).map(steps),
    tables: (RegistryTable.allCases.map { $0.definition(ofVersion: 6) } + [digest]).sorted())

  /// The first version that stores a digest of its rows.
  static let firstDigestedVersion: Int64 = 2

  package init(migrations: [[String]], tables: [String]) {
    (self.migrations, self.tables) = (migrations, tables)
  }

  /// The value of `user_version`.
  package var version: Int64 { Int64(migrations.count) }

  /// One row: ``RowDigest``.
  private static let digest =
    "CREATE TABLE digest (number INTEGER PRIMARY KEY, rowCount INTEGER NOT NULL, hash INTEGER NOT NULL) STRICT"

  /// The statements that turn the version before into this one.
  private static func steps(to version: Int64) -> [String] {
    let new = RegistryTable.allCases.filter { $0.addedIn == version }
    let columns = RegistryTable.allCases.flatMap { table in
      table.columns.filter { $0.addedIn == version }.map {
        "ALTER TABLE \(table.rawValue) ADD COLUMN \($0.definition)"
      }
    }
    return new.map { $0.definition(ofVersion: version) } + (version == firstDigestedVersion ? [digest] : [])
      + columns
  }
}

extension RegistryTable {
  /// Columns that later versions added are appended, as SQLite does it.
  fileprivate func definition(ofVersion version: Int64) -> String {
    let columns = columns.filter { $0.addedIn.map { $0 <= version } ?? true }.map(\.definition)
    return "CREATE TABLE \(rawValue) (\(columns.joined(separator: ", "))) STRICT"
  }
}

extension Column {
  fileprivate var definition: String {
    if name == "number" { return "number INTEGER PRIMARY KEY" }
    // The one name that is a word of SQL.
    let quoted = name == "group" ? "\"group\"" : name
    return "\(quoted) \(kind.rawValue)" + (isRequired ? " NOT NULL" : "")
  }
}
