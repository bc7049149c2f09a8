// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Registry

/// Puts a new, empty registry in the place of what is there, which is kept under another name.
enum RegistryReset {
  /// Answers the name of what was kept; nil when there was nothing.
  ///
  /// A power cut leaves the old file, or a log without its file, which is refused as damaged, or nothing, or the new
  /// file: never an old file without its log, which would be an older state.
  static func run(_ path: String, _ files: any RegistryFiles, _ schema: Schema) throws(RegistryStoreError)
    -> String?
  {
    let paths = RegistryPaths(file: path)
    try RegistryFile.draft(paths, files, schema)
    let kept = try freeName(paths, files)
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

  /// The order of names on disk is the order in which they were given.
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
