// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Manifest
import Registry
import RegistryFormat

/// The registry on disk: one SQLite database in write-ahead mode, which only this program reads and writes.
///
/// It is used from one thread and may wait for the disk. It keeps SQLite's page cache of 64 KiB in memory; opening it
/// returns the registry itself. Capacity: `RegistryLimits`, and `pagesMax` on disk.
///
/// A file that is damaged, or that another program or a later version wrote, is refused and left unchanged.
struct RegistryFile: ~Copyable {
  /// 16 MiB: far more than the largest registry needs.
  static let pagesMax = 4_096
  /// The number of pages of the log at which it is written back into the file.
  static let logPagesMax = 64

  let database: Database

  /// Opens the registry at `path`, creates it if it does not exist, and migrates an older one. It must be read before
  /// it is written.
  static func open(
    _ path: String, _ files: any RegistryFiles, owners: Set<UInt32>?, schema: Schema
  ) throws(RegistryOpenError) -> RegistryFile {
    let paths = RegistryPaths(file: path)
    if try facts(of: path, files) == nil { try create(paths, files, schema) }
    try requireOurs(paths, files, owners)
    let database = try RegistryOpenError.reading { () throws(DatabaseError) in
      try Database.open(path, vfs: files.vfs)
    }
    try bringUpToDate(database, schema)
    return RegistryFile(database: database)
  }

  /// Checks the file before SQLite opens it, because SQLite would begin to repair it.
  private static func requireOurs(
    _ paths: RegistryPaths, _ files: any RegistryFiles, _ owners: Set<UInt32>?
  ) throws(RegistryOpenError) {
    for path in [paths.file] + RegistryPaths.logs.map({ paths.file + $0 }) {
      guard let facts = try facts(of: path, files) else { continue }
      if let problem = FileProtection.ownerReads.error(for: facts, owners: owners) {
        throw .exposed(problem)
      }
    }
    let head: [UInt8]
    do throws(SystemError) {
      head = try files.head(of: paths.file, byteCount: FileHeader.byteCount)
    } catch {
      throw .failed(RegistryStoreError(error))
    }
    let header = try FileHeader(head)
    guard Int64(header.applicationID) == Schema.applicationID else {
      throw .otherApplication(applicationID: header.applicationID)
    }
  }

  static func facts(
    of path: String, _ files: any RegistryFiles
  ) throws(RegistryOpenError) -> FileFacts? {
    do throws(SystemError) { return try files.facts(of: path) } catch {
      throw .failed(RegistryStoreError(error))
    }
  }

  // MARK: Writing

  /// Writes the steps of a change, all or none: when this returns, they survive a power cut.
  func commit(_ writes: [RegistryWrite]) throws(RegistryStoreError) {
    try transaction { () throws(DatabaseError) in
      for write in writes { try apply(write) }
    }
  }

  /// Replaces the stored registry.
  func replace(with registry: AccessoryRegistry) throws(RegistryStoreError) {
    try transaction { () throws(DatabaseError) in
      for table in RegistryTable.allCases { try database.run("DELETE FROM \(table.rawValue)") }
      for row in registry.rows { try apply(.put(row)) }
    }
  }

  private func apply(_ write: RegistryWrite) throws(DatabaseError) {
    switch write {
    case .put(let row):
      let marks = row.table.columns.map { _ in "?" }.joined(separator: ", ")
      // The statement contains only names of this program; the columns have the order of the table's definition.
      try database.run(
        "INSERT OR REPLACE INTO \(row.table.rawValue) VALUES (\(marks))", row.values.ordered(for: row.table))
    case .drop(let table, let number):
      try database.run("DELETE FROM \(table.rawValue) WHERE number = ?", [.integer(number)])
    }
  }

  private func transaction(
    _ body: () throws(DatabaseError) -> Void
  ) throws(RegistryStoreError) {
    do throws(DatabaseError) {
      try database.run("BEGIN IMMEDIATE")
      try body()
      try database.run("COMMIT")
    } catch {
      // Most errors end the transaction; if one does not, it is rolled back.
      if database.isInTransaction { try? database.run("ROLLBACK") }
      guard !database.isInTransaction else { throw .unexpected(RegistryStoreErrorCode(error)) }
      throw RegistryStoreError(error)
    }
  }
}

extension RegistryOpenError {
  /// Runs `body`, turning errors of SQLite into errors of opening a file.
  static func reading<Result: ~Copyable>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(RegistryOpenError) -> Result {
    do throws(DatabaseError) { return try body() } catch { throw RegistryOpenError(error) }
  }
}
