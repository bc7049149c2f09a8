// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Registry
import RegistryFormat

/// A copy of the registry's file in memory, with the changes of its log, which SQLite reads. Everything is checked on the
/// copy, so that a file which is refused is not changed, and a file on a read-only disk can be read.
///
/// Memory, until it was read: twice the size of the file, at most `byteCountMax` each.
enum RegistryImage {
  /// The size of a file of ``RegistryFile/pagesMax`` pages; a log has less.
  private static let byteCountMax = RegistryFile.pagesMax * 4_096

  /// Reads every row of the file at `path`, which exists; throws the first invalid value.
  static func read(
    _ path: String, _ files: any RegistryFiles, _ schema: Schema
  ) throws(RegistryOpenError) -> AccessoryRegistry {
    let database = try copy(path, files)
    let version = try bringUpToDate(database, schema)
    var rows: [RegistryRow] = []
    var digest = RowDigest()
    for table in RegistryTable.allCases { try rows += read(table, from: database, &digest) }
    let stored = try RegistryOpenError.reading { () throws(DatabaseError) in try database.digest() }
    guard version < Schema.firstDigestedVersion || stored == digest else { throw .damaged(.digest) }
    do throws(RegistryConsistencyError) { return try AccessoryRegistry(rows) } catch {
      throw .damaged(.violation(error))
    }
  }

  private static func copy(
    _ path: String, _ files: any RegistryFiles
  ) throws(RegistryOpenError) -> Database {
    var bytes = try contents(of: path, files)
    let header = try FileHeader(bytes)
    guard Int64(header.applicationID) == Schema.applicationID else {
      throw .otherApplication(applicationID: header.applicationID)
    }
    let hasLog = try RegistryFile.facts(of: path + RegistryPaths.logs[0], files) != nil
    // A database in memory has no log.
    bytes.replaceSubrange(FileHeader.versions, with: [1, 1])
    return try RegistryOpenError.reading { () throws(DatabaseError) in
      guard hasLog else { return try Database.inMemory(bytes) }
      let file = try Database.open(path, vfs: files.vfs, isForReading: true)
      return try Database.inMemory(copying: file, pagesMax: RegistryFile.pagesMax)
    }
  }

  private static func contents(
    of path: String, _ files: any RegistryFiles
  ) throws(RegistryOpenError) -> [UInt8] {
    do throws(SystemError) { return try files.contents(of: path, byteCountMax: byteCountMax) } catch {
      guard error.isTooLarge else { throw .failed(RegistryStoreError(error)) }
      throw .damaged(.unreadable(RegistryStoreErrorCode(code: error.code, reason: error.reason)))
    }
  }

  /// Checks the integrity of the copy and migrates it to the current version. Returns the version that it had.
  private static func bringUpToDate(
    _ database: borrowing Database, _ schema: Schema
  ) throws(RegistryOpenError) -> Int64 {
    let version = try number(database, "PRAGMA user_version")
    guard version <= schema.version else { throw .newer(version: version, known: schema.version) }
    guard version >= 1, try number(database, "PRAGMA application_id") == Schema.applicationID else {
      throw .damaged(.foreignTables)
    }
    guard case .text(let finding) = try value(database, "PRAGMA quick_check(1)") else {
      throw .damaged(.foreignTables)
    }
    guard finding == "ok" else { throw .damaged(.inconsistent(finding)) }
    // The tables are exactly those of this version, so that rows are read as they were written.
    let tables = try RegistryOpenError.reading { () throws(DatabaseError) -> [[Value]]? in
      do throws(DatabaseError) { try database.migrate(schema) } catch {
        // A column was to be added to a table that is not there.
        guard error.isRefusedStatement else { throw error }
        return nil
      }
      return try database.rows("SELECT sql FROM sqlite_schema ORDER BY name")
    }
    guard tables == schema.tables.map({ [.text($0)] }) else { throw .damaged(.foreignTables) }
    return version
  }

  private static func read(
    _ table: RegistryTable, from database: borrowing Database, _ digest: inout RowDigest
  ) throws(RegistryOpenError) -> [RegistryRow] {
    let rowsMax = RegistryLimits.rowsMax(of: table)
    let rows = try RegistryOpenError.reading { () throws(DatabaseError) in
      try database.rows(of: table, rowsMax: rowsMax + 1)
    }
    guard rows.count <= rowsMax else { throw .damaged(.violation(.tooMany(table))) }
    var read: [RegistryRow] = []
    for row in rows {
      digest.add(row, of: table)
      do throws(ColumnError) { read.append(try RegistryRow(row, of: table)) } catch {
        let number: Int64? = if case .integer(let number) = row.first { number } else { nil }
        throw .damaged(.badValue(table, number: number, column: error.column))
      }
    }
    return read
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
