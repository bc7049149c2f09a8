// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Registry

extension RegistryFile {
  /// Makes an empty registry under a name of its own and then gives it the real one, so that a file with that name is
  /// always whole.
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

  /// Makes an empty registry under the draft's name, durable. What a power cut left of an earlier draft goes.
  static func draft(
    _ paths: RegistryPaths, _ files: any RegistryFiles, _ schema: Schema
  ) throws(RegistryStoreError) {
    try RegistryStoreError.system { () throws(SystemError) in
      for log in [""] + RegistryPaths.logs { try files.remove(paths.draft + log) }
      try files.create(paths.draft)
    }
    do throws(DatabaseError) {
      let database = try Database.open(paths.draft, vfs: files.vfs)
      // Nobody knows the draft before it is whole: no journal is needed to take back a half of it.
      try database.run("PRAGMA journal_mode = MEMORY")
      try database.run("BEGIN IMMEDIATE")
      try database.run("PRAGMA application_id = \(Schema.applicationID)")
      for statement in schema.ladder.joined() { try database.run(statement) }
      try database.run("PRAGMA user_version = \(schema.version)")
      try database.run("COMMIT")
    } catch {
      throw RegistryStoreError(error)
    }
  }
}
