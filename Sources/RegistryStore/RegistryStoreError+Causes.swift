// SPDX-License-Identifier: GPL-3.0-or-later

import CSQLite
public import LinuxSystem
public import Registry

extension RegistryStoreError {
  init(_ error: DatabaseError) {
    switch error.kind {
    case SQLITE_FULL: self = .full
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_BUSY, SQLITE_LOCKED: self = .locked
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_CORRUPT, SQLITE_NOTADB:
      self = .disk(RegistryStoreErrorCode(error))
    case SQLITE_NOMEM: self = .memory
    default: self = .unexpected(RegistryStoreErrorCode(error))
    }
  }

  /// The error of a system call outside SQLite. A file that is created can only be "missing" if its folder is.
  public init(_ error: SystemError) {
    if error.isMissing {
      self = .noFolder
    } else if error.isReadOnly {
      self = .readOnly
    } else if error.isPermission {
      self = .noPermission
    } else {
      self = .system(
        RegistryStoreErrorCode(code: error.code, reason: error.reason), call: error.call.rawValue)
    }
  }

  /// Runs `body`, turning errors of system calls into errors of the store.
  static func system<Result>(_ body: () throws(SystemError) -> Result) throws(RegistryStoreError) -> Result {
    do throws(SystemError) { return try body() } catch { throw RegistryStoreError(error) }
  }
}

extension RegistryOpenError {
  /// The error while a file is being opened: the file is damaged, or it could not be read.
  init(_ error: DatabaseError) {
    switch error.kind {
    // SQLITE_CANTOPEN_SYMLINK, a macro that Swift does not import.
    case SQLITE_CANTOPEN where error.code == SQLITE_CANTOPEN | 6 << 8: self = .link
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_INTERRUPT, SQLITE_TOOBIG, SQLITE_ERROR, SQLITE_SCHEMA,
      SQLITE_MISMATCH:
      self = .damaged(.unreadable(RegistryStoreErrorCode(error)))
    default: self = .failed(RegistryStoreError(error))
    }
  }
}

extension RegistryStoreErrorCode {
  init(_ error: DatabaseError) { self.init(code: error.code, reason: DatabaseError.reason(error.code)) }
}
