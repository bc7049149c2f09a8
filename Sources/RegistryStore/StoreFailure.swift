// SPDX-License-Identifier: GPL-3.0-or-later

import CSQLite
public import LinuxSystem

/// Why something could not be written or read; what is on disk is as before or as after.
public enum StoreFailure: Error, Equatable, Sendable {
  /// The disk, or what a registry may take of it, is full.
  case full
  /// The file system is mounted read-only, or the file is.
  case readOnly
  /// Another process has the file.
  case locked
  /// The disk does not do as it should; SQLite's extended result code.
  case disk(code: Int32)
  /// The same, outside of SQLite.
  case system(SystemError)
  /// There was no memory.
  case memory
  /// A mistake of ours; SQLite's extended result code.
  case unexpected(code: Int32)
  /// No registry is open: it was refused, or closed after an earlier failure. Opening it again reads what is on disk.
  case closed
  /// As many damaged files lie beside it as names are tried for.
  case tooManyKept

  /// Nothing was written, and the next attempt may succeed as it is.
  var leavesOpen: Bool {
    switch self {
    case .full, .readOnly, .locked, .memory: true
    case .disk, .system, .unexpected, .closed, .tooManyKept: false
    }
  }

  init(_ error: DatabaseError) {
    switch error.kind {
    case SQLITE_FULL: self = .full
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_BUSY, SQLITE_LOCKED: self = .locked
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_CORRUPT, SQLITE_NOTADB: self = .disk(code: error.code)
    case SQLITE_NOMEM: self = .memory
    default: self = .unexpected(code: error.code)
    }
  }
}

extension RegistryRefusal {
  /// What an error means while a file is being opened: SQLite's word that it is damaged, or that it could not be read.
  init(_ error: DatabaseError) {
    switch error.kind {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_INTERRUPT, SQLITE_TOOBIG, SQLITE_ERROR, SQLITE_SCHEMA,
      SQLITE_MISMATCH:
      self = .damaged(.unreadable(code: error.code))
    default: self = .failed(StoreFailure(error))
    }
  }
}
