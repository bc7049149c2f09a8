// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import RegistryFormat

extension RegistryFile {
  /// Checks the integrity of the file and migrates it to the current version.
  static func bringUpToDate(
    _ database: borrowing Database, _ schema: Schema
  ) throws(RegistryOpenError) {
    // This reads the file first, so SQLite also recovers a remaining log here.
    let version = try number(database, "PRAGMA user_version")
    guard version <= schema.version else { throw .newer(version: version, known: schema.version) }
    guard version >= 1, try number(database, "PRAGMA application_id") == Schema.applicationID else {
      throw .damaged(.foreignTables)
    }
    try check(database)
    guard try value(database, "PRAGMA journal_mode = WAL") == .text("wal") else {
      throw .damaged(.foreignTables)
    }
    try RegistryOpenError.reading { () throws(DatabaseError) in
      try database.run("PRAGMA wal_autocheckpoint = \(logPagesMax)")
      try database.run("PRAGMA journal_size_limit = 0")
      try database.run("PRAGMA max_page_count = \(pagesMax)")
      try migrate(database, schema, from: Int(version))
    }
    try requireTables(database, schema)
  }

  /// Has SQLite check every page.
  private static func check(_ database: borrowing Database) throws(RegistryOpenError) {
    guard case .text(let finding) = try value(database, "PRAGMA quick_check(1)") else {
      throw .damaged(.foreignTables)
    }
    guard finding != "ok" else { return }
    // SQLite also reports a page that it could not read, with the result code as the last word. The file may be intact
    // then.
    if let code = finding.split(separator: "=").last.flatMap({ Int32($0) }) {
      throw RegistryOpenError(DatabaseError(code: code))
    }
    throw .damaged(.inconsistent(finding))
  }

  private static func migrate(
    _ database: borrowing Database, _ schema: Schema, from version: Int
  ) throws(DatabaseError) {
    guard version < schema.migrations.count else { return }
    try database.run("BEGIN IMMEDIATE")
    for statement in schema.migrations[version...].joined() { try database.run(statement) }
    try database.run("PRAGMA user_version = \(schema.version)")
    try database.run("COMMIT")
  }

  /// Checks that the tables are exactly those of this version, so that rows are read as they were written.
  private static func requireTables(
    _ database: borrowing Database, _ schema: Schema
  ) throws(RegistryOpenError) {
    let tables = try RegistryOpenError.reading { () throws(DatabaseError) in
      try database.rows("SELECT sql FROM sqlite_schema ORDER BY name")
    }
    guard tables == schema.tables.map({ [.text($0)] }) else { throw .damaged(.foreignTables) }
  }

  /// Reads every row; throws the first invalid value.
  func read() throws(RegistryOpenError) -> AccessoryRegistry {
    var rows: [RegistryRow] = []
    for table in RegistryTable.allCases { try rows.append(contentsOf: Self.read(table, from: database)) }
    let registry: AccessoryRegistry
    do throws(RegistryConsistencyError) { registry = try AccessoryRegistry(rows) } catch {
      throw .damaged(.violation(error))
    }
    try RegistryOpenError.reading { () throws(DatabaseError) in try database.checkpointsOnClose(true) }
    return registry
  }

  private static func read(
    _ table: RegistryTable, from database: borrowing Database
  ) throws(RegistryOpenError) -> [RegistryRow] {
    let rowsMax = RegistryLimits.rowsMax(of: table)
    let names = table.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let values = try RegistryOpenError.reading { () throws(DatabaseError) in
      try database.rows("SELECT \(names) FROM \(table.rawValue) ORDER BY number", rowsMax: rowsMax + 1)
    }
    guard values.count <= rowsMax else { throw .damaged(.violation(.tooMany(table))) }
    var rows: [RegistryRow] = []
    for values in values {
      let values = RowValues(values, of: table)
      do throws(ColumnError) {
        rows.append(try RegistryRow(values, of: table))
      } catch {
        let number = try? values.integer("number")
        throw .damaged(.badValue(table, number: number, column: error.column))
      }
    }
    return rows
  }

  private static func value(_ database: borrowing Database, _ sql: String) throws(RegistryOpenError) -> Value
  {
    try RegistryOpenError.reading { () throws(DatabaseError) in try database.value(sql) ?? .null }
  }

  private static func number(_ database: borrowing Database, _ sql: String) throws(RegistryOpenError) -> Int64
  {
    guard case .integer(let number) = try value(database, sql) else { throw .damaged(.foreignTables) }
    return number
  }
}
