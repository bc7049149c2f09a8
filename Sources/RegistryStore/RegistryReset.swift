// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Registry

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
