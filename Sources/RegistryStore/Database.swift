// SPDX-License-Identifier: GPL-3.0-or-later

import CSQLite
import RegistryFormat

/// A connection to a database file. Closed with its owner; statements borrow it and end before.
///
/// Memory: SQLite's page cache has `pageCacheKilobytes` at most; nothing is mapped.
@safe struct Database: ~Copyable {
  /// Steps that one statement may take, far more than the largest registry needs: a damaged file ends in an error, not
  /// in a loop.
  private static let stepsMax: Int32 = 20_000_000
  /// Of a value, a row or a statement's text.
  private static let valueBytesMax: Int32 = 65_536
  private static let pageCacheKilobytes = 64

  private let handle: OpaquePointer

  private init(owning handle: OpaquePointer) { unsafe self.handle = handle }

  /// Opens a file that is there, and touches nothing yet. `vfs` names SQLite's way to the disk, nil the usual one.
  static func open(_ path: String, vfs: String?) throws(DatabaseError) -> Database {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    var opened: OpaquePointer?
    // Holds: the call reads the texts, and writes the handle, a local variable.
    let code = unsafe vfs.withOptionalCString { unsafe sqlite3_open_v2(path, &opened, flags, $0) }
    // A connection that could not be opened is closed all the same.
    guard let handle = unsafe opened else { throw DatabaseError(code: code) }
    let database = unsafe Database(owning: handle)
    try check(code)
    try database.restrain()
    return database
  }

  private func restrain() throws(DatabaseError) {
    // Holds: the connection is open until the owner goes.
    try Self.check(unsafe csqlite_restrain(handle, Self.valueBytesMax, Self.stepsMax))
    for pragma in [
      "locking_mode = EXCLUSIVE", "synchronous = FULL", "cache_size = -\(Self.pageCacheKilobytes)",
      "mmap_size = 0", "temp_store = MEMORY", "cell_size_check = ON", "secure_delete = ON",
    ] {
      try run("PRAGMA \(pragma)")
    }
  }

  deinit {
    // Holds: nothing borrows the connection any more.
    _ = unsafe sqlite3_close_v2(handle)
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool {
    // Holds: the connection is open.
    unsafe sqlite3_get_autocommit(handle) == 0
  }

  /// Whether closing writes the log back into the file; not until this is called with true, so that a file that turns
  /// out to be damaged stays as it is.
  func checkpointsOnClose(_ isWanted: Bool) throws(DatabaseError) {
    // Holds: the connection is open.
    try Self.check(unsafe csqlite_checkpoint_on_close(handle, isWanted ? 1 : 0))
  }

  /// Runs a statement to its end; its rows are not looked at.
  func run(_ sql: String, _ values: [Value] = []) throws(DatabaseError) {
    var statement = try prepare(sql, values)
    while try statement.step() {}
  }

  /// All rows of a statement, `rowsMax` at most.
  func rows(_ sql: String, rowsMax: Int = 64) throws(DatabaseError) -> [[Value]] {
    var statement = try prepare(sql, [])
    var rows: [[Value]] = []
    while rows.count < rowsMax, try statement.step() { rows.append(statement.values) }
    return rows
  }

  /// The first column of the first row; nil when there is no row.
  func value(_ sql: String) throws(DatabaseError) -> Value? { try rows(sql, rowsMax: 1).first?.first }

  /// A statement with its parameters bound, and a new allowance of steps.
  func prepare(_ sql: String, _ values: [Value]) throws(DatabaseError) -> Statement {
    // Holds: the connection is open, and outlives the statement, which a caller has for the length of one call.
    unsafe csqlite_allow_steps(handle, Self.stepsMax)
    var prepared: OpaquePointer?
    try Self.check(unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil))
    guard let prepared = unsafe prepared else { throw DatabaseError(code: SQLITE_MISUSE) }
    let statement = unsafe Statement(owning: prepared)
    try statement.bind(values)
    return statement
  }

  static func check(_ code: Int32) throws(DatabaseError) {
    guard code == SQLITE_OK else { throw DatabaseError(code: code) }
  }
}

extension String? {
  /// The text for the length of the call, or NULL.
  fileprivate func withOptionalCString<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    guard let self else { return body(nil) }
    return unsafe self.withCString { unsafe body($0) }
  }
}

/// What SQLite could not do: an extended result code (sqlite.org, "Result and Error Codes").
struct DatabaseError: Error, Equatable, Sendable {
  let code: Int32

  /// The low octet, which says what kind of error it is.
  var kind: Int32 { code & 0xFF }

  /// SQLite's words for the code, without a full stop: `disk I/O error`.
  static func reason(_ code: Int32) -> String {
    // Holds: a string that is part of the library.
    guard let text = unsafe sqlite3_errstr(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}
