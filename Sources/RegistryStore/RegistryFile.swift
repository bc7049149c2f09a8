// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Manifest
import Registry
import RegistryFormat

/// The registry on disk: one SQLite database in write-ahead mode, which only this program reads and writes.
///
/// It is used from one thread and may wait for the disk. It keeps SQLite's page cache of 64 KiB in memory. After each
/// change the log is written back into the file and truncated: what was acknowledged never depends on the log, whose end
/// SQLite drops in silence when it is damaged. Capacity: `RegistryLimits`, and `pagesMax` on disk.
struct RegistryFile: ~Copyable {
  /// 16 MiB: far more than the largest registry needs.
  static let pagesMax = 4_096

  let database: Database

  /// Opens the registry at a path for writing, and migrates an older one. ``RegistryImage`` has checked it.
  static func open(
    _ path: String, _ files: any RegistryFiles, schema: Schema
  ) throws(RegistryOpenError) -> RegistryFile {
    try RegistryOpenError.reading { () throws(DatabaseError) in
      let database = try Database.open(path, vfs: files.vfs)
      guard try database.value("PRAGMA journal_mode = WAL") == .text("wal") else { throw .corrupt }
      try database.run("PRAGMA wal_autocheckpoint = 0")
      try database.run("PRAGMA max_page_count = \(pagesMax)")
      try database.migrate(schema)
      try database.checkpoint()
      try database.checkpointsOnClose(true)
      return RegistryFile(database: database)
    }
  }

  /// Checks who has access to the file, and that it is one.
  static func requireProtection(
    _ paths: RegistryPaths, _ files: any RegistryFiles, _ owners: Set<UInt32>?
  ) throws(RegistryOpenError) {
    for path in [paths.file] + RegistryPaths.logs.map({ paths.file + $0 }) {
      guard let facts = try facts(of: path, files) else { continue }
      guard !facts.isLink else { throw .link }
      if let problem = FileProtection.ownerReads.error(for: facts, owners: owners) {
        throw .exposed(problem)
      }
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
    try transaction { () throws(DatabaseError) in try database.apply(writes) }
  }

  func replace(with registry: AccessoryRegistry) throws(RegistryStoreError) {
    try transaction { () throws(DatabaseError) in
      try database.removeRows()
      try database.apply(registry.rows.map(RegistryWrite.put))
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
    do throws(DatabaseError) { try database.checkpoint() } catch {
      throw .logRemains(RegistryStoreErrorCode(error))
    }
  }

  /// Creates an empty registry under a temporary name and then renames it, so that the file is always complete.
  static func create(
    _ paths: RegistryPaths, _ files: any RegistryFiles, _ schema: Schema
  ) throws(RegistryOpenError) {
    for log in RegistryPaths.logs {
      guard try facts(of: paths.file + log, files) == nil else { throw .damaged(.missingBesideLog) }
    }
    do throws(RegistryStoreError) {
      try draft(paths, files, schema)
      try RegistryStoreError.system { () throws(SystemError) in
        try files.rename(paths.draft, to: paths.file)
        try files.syncFolder(of: paths.file)
      }
    } catch {
      throw .failed(error)
    }
  }

  /// Creates an empty, durable registry under the draft's name. An earlier draft that a power cut left is removed.
  static func draft(
    _ paths: RegistryPaths, _ files: any RegistryFiles, _ schema: Schema
  ) throws(RegistryStoreError) {
    try RegistryStoreError.system { () throws(SystemError) in
      for log in [""] + RegistryPaths.logs { try files.remove(paths.draft + log) }
      try files.create(paths.draft)
    }
    do throws(DatabaseError) {
      let database = try Database.open(paths.draft, vfs: files.vfs)
      // An incomplete draft is never used, so it needs no journal on disk.
      try database.run("PRAGMA journal_mode = MEMORY")
      try database.run("PRAGMA application_id = \(Schema.applicationID)")
      try database.migrate(schema)
    } catch {
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

/// Replaces the registry with a new, empty one, and keeps the old file under another name.
enum RegistryReset {
  /// Returns the name of the kept file; nil if there was none.
  ///
  /// A power cut leaves the old file, a log without its file (refused as damaged), no file, or the new file. It never
  /// leaves an old file without its log, which would be an older state.
  static func run(
    _ paths: RegistryPaths, _ files: any RegistryFiles, _ schema: Schema
  ) throws(RegistryStoreError) -> String? {
    let path = paths.file
    let kept = try freeName(paths, files)
    try RegistryFile.draft(paths, files, schema)
    var isKept = false
    for log in [""] + RegistryPaths.logs {
      if try exists(path + log, files) {
        try move(path + log, to: kept + log, files)
        isKept = true
      }
    }
    try move(paths.draft, to: path, files)
    return isKept ? kept : nil
  }

  /// Renames a file durably, so that the disk sees renames in the order of the calls.
  private static func move(
    _ path: String, to newPath: String, _ files: any RegistryFiles
  ) throws(RegistryStoreError) {
    try RegistryStoreError.system { () throws(SystemError) in
      try files.rename(path, to: newPath)
      try files.syncFolder(of: path)
    }
  }

  private static func freeName(
    _ paths: RegistryPaths, _ files: any RegistryFiles
  ) throws(RegistryStoreError) -> String {
    for count in 1...RegistryPaths.keptMax {
      var isFree = true
      for log in [""] + RegistryPaths.logs where try exists(paths.kept(count) + log, files) { isFree = false }
      if isFree { return paths.kept(count) }
    }
    throw .tooManyKept(RegistryPaths.keptMax)
  }

  private static func exists(_ path: String, _ files: any RegistryFiles) throws(RegistryStoreError) -> Bool {
    try RegistryStoreError.system { () throws(SystemError) in try files.facts(of: path) != nil }
  }
}
