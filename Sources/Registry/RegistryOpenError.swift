// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// Why the registry could not be opened. The files on disk are unchanged.
public enum RegistryOpenError: Error, Equatable, Sendable {
  case damaged(RegistryFileError)
  /// The file is another program's database.
  case otherApplication(applicationID: UInt32)
  /// A later version of this program wrote it.
  case newer(version: Int64, known: Int64)
  /// Other users have access to the file, or it is not a regular file.
  case exposed(FileProtectionError)
  /// Other users may replace files in the file's folder.
  case exposedFolder(FileProtectionError)
  /// The file is a symbolic link, which only its folder may be.
  case link
  /// The file's folder is a symbolic link whose target does not exist.
  case folderLinkToNothing
  case failed(RegistryStoreError)

  /// Whether the cause may go away without a reset, so that opening the file again is worth it.
  public var mayPass: Bool {
    switch self {
    case .damaged, .otherApplication, .newer: false
    case .exposed, .exposedFolder, .link, .folderLinkToNothing, .failed: true
    }
  }
}

/// How a registry file is damaged.
public enum RegistryFileError: Equatable, Sendable {
  /// It is shorter than the header of a database.
  case torn(byteCount: Int)
  /// It does not begin with the header of a database.
  case noDatabase
  /// The file is missing, but the log of its latest changes exists.
  case missingBesideLog
  /// SQLite cannot read it.
  case unreadable(RegistryStoreErrorCode)
  /// SQLite's integrity check failed with this text.
  case inconsistent(String)
  /// Its rows are not those that were written.
  case digest
  /// Its tables differ from those of its version.
  case foreignTables
  /// A column has an invalid value; `number` is nil if the row has no number.
  case badValue(RegistryTable, number: Int64?, column: String)
  /// A row is invalid or inconsistent with other rows.
  case violation(RegistryConsistencyError)
}

/// Why the registry could not be written or read; the disk has the state before or after the change.
public enum RegistryStoreError: Error, Equatable, Sendable {
  /// The disk is full, or the registry has reached its largest size.
  case full
  /// The file or its file system is read-only.
  case readOnly
  /// Another process has the file open.
  case locked
  /// The file's folder does not exist.
  case noFolder
  /// The agent's account may not use the folder or the file.
  case noPermission
  /// SQLite reports an error of the disk.
  case disk(RegistryStoreErrorCode)
  /// A system call outside SQLite failed; `call` is its name.
  case system(RegistryStoreErrorCode, call: String)
  /// The change is in the write-ahead log, but the log could not be written back into the file.
  case logRemains(RegistryStoreErrorCode)
  /// There was not enough memory.
  case memory
  /// SQLite reports an error that a correct program does not cause.
  case unexpected(RegistryStoreErrorCode)
  /// No registry is open: it was refused, or closed after an earlier error. Opening it again reads what is on disk.
  case closed
  /// Every name for a kept file is taken.
  case tooManyKept(Int)

  /// Whether nothing was written and a retry may succeed.
  public var leavesOpen: Bool {
    switch self {
    case .full, .readOnly, .locked, .memory: true
    case .noFolder, .noPermission, .disk, .system, .logRemains, .unexpected, .closed, .tooManyKept: false
    }
  }
}

/// An error code of SQLite or the system, with its text.
public struct RegistryStoreErrorCode: Equatable, Sendable {
  /// SQLite's extended result code, or the system's error number.
  public let code: Int32
  /// The text for the code, without a full stop: `disk I/O error`.
  public let reason: String

  public init(code: Int32, reason: String) {
    self.code = code
    self.reason = reason
  }
}
