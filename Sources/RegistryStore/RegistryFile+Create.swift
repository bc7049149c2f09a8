// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Registry

extension RegistryFile {
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
