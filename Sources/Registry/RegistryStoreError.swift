// SPDX-License-Identifier: GPL-3.0-or-later

/// Why something could not be written or read; what is on disk is as before or as after.
public enum RegistryStoreError: Error, Equatable, Sendable {
  /// The disk, or what a registry may take of it, is full.
  case full
  /// The file system is mounted read-only, or the file is.
  case readOnly
  /// Another process has the file.
  case locked
  /// The folder that the file is to lie in is not there.
  case noFolder
  /// The agent's account may not use the folder or the file.
  case noPermission
  /// The disk does not do as it should, SQLite says.
  case disk(RegistryStoreErrorCode)
  /// The same, outside of SQLite: a system call, by its name.
  case system(RegistryStoreErrorCode, call: String)
  /// There was no memory.
  case memory
  /// A mistake of ours, SQLite says.
  case unexpected(RegistryStoreErrorCode)
  /// No registry is open: it was refused, or closed after an earlier failure. Opening it again reads what is on disk.
  case closed
  /// As many damaged files lie beside it as names are tried for.
  case tooManyKept(Int)

  /// Nothing was written, and the next attempt may succeed as it is.
  public var leavesOpen: Bool {
    switch self {
    case .full, .readOnly, .locked, .memory: true
    case .noFolder, .noPermission, .disk, .system, .unexpected, .closed, .tooManyKept: false
    }
  }
}
