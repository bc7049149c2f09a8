// SPDX-License-Identifier: GPL-3.0-or-later

import CSQLite
public import LinuxSystem
public import Registry
import RegistryFormat

/// A connection to a database file. Its deinitialiser closes it; statements borrow it and end earlier.
///
/// Memory: SQLite's page cache takes at most `pageCacheKilobytes`; no file is mapped.
@safe struct Database: ~Copyable {
  /// The largest number of steps of one statement, far more than the largest registry needs: a damaged file causes an
  /// error, not an endless loop.
  private static let stepsMax: Int32 = 20_000_000
  /// The largest size of a value, a row or a statement's text.
  private static let valueBytesMax: Int32 = 65_536
  private static let pageCacheKilobytes = 64

  private let handle: OpaquePointer

  private init(owning handle: OpaquePointer) { unsafe self.handle = handle }

  /// Opens an existing file for writing, or for reading. `vfs` names the SQLite VFS; nil is the default one, and for reading
  /// the one without locks, because a lock needs a file that can be written.
  static func open(_ path: String, vfs: String?, isForReading: Bool = false) throws(DatabaseError) -> Database
  {
    let access = isForReading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    let vfs = vfs ?? (isForReading ? "unix-none" : nil)
    var opened: OpaquePointer?
    // Holds: the call reads the texts, and writes the handle, a local variable.
    let code = unsafe vfs.withOptionalCString { unsafe sqlite3_open_v2(path, &opened, flags, $0) }
    // A connection must be closed even if it could not be opened.
    guard let handle = unsafe opened else { throw DatabaseError(code: code) }
    let database = unsafe Database(owning: handle)
    try check(code)
    // SQLite opens a file for reading if it cannot be opened for writing.
    let isReadOnly = unsafe sqlite3_db_readonly(handle, "main") == 1
    guard isForReading || !isReadOnly else { throw DatabaseError(code: SQLITE_READONLY) }
    try database.restrain()
    return database
  }

  /// Creates a database in memory with the bytes of a file.
  static func inMemory(_ bytes: [UInt8]) throws(DatabaseError) -> Database {
    let database = try open(":memory:", vfs: nil)
    // Holds: the call copies the bytes.
    try check(
      unsafe bytes.withUnsafeBytes { unsafe csqlite_load(database.handle, $0.baseAddress, Int64($0.count)) })
    return database
  }

  /// Creates a database in memory with the pages of another, and with the changes of its log, which stays as it is.
  static func inMemory(copying other: borrowing Database, pagesMax: Int) throws(DatabaseError) -> Database {
    guard case .integer(let pageCount)? = try other.value("PRAGMA page_count"), pageCount <= pagesMax else {
      throw .corrupt
    }
    let database = try open(":memory:", vfs: nil)
    // Holds: both connections are open until the copy is finished.
    let copy = unsafe sqlite3_backup_init(database.handle, "main", other.handle, "main")
    let code = unsafe sqlite3_backup_step(copy, -1)
    unsafe sqlite3_backup_finish(copy)
    guard code == SQLITE_DONE else { throw DatabaseError(code: code) }
    return database
  }

  private func restrain() throws(DatabaseError) {
    // Holds: the connection is open until its owner ends.
    try Self.check(unsafe csqlite_restrain(handle, Self.valueBytesMax, Self.stepsMax))
    for pragma in [
      "locking_mode = EXCLUSIVE", "synchronous = FULL", "cache_size = -\(Self.pageCacheKilobytes)",
      "mmap_size = 0", "temp_store = MEMORY", "cell_size_check = ON", "secure_delete = ON",
    ] {
      try run("PRAGMA \(pragma)")
    }
  }

  deinit {
    // Holds: no statement borrows the connection any more.
    _ = unsafe sqlite3_close_v2(handle)
  }

  var isInTransaction: Bool {
    // Holds: the connection is open.
    unsafe sqlite3_get_autocommit(handle) == 0
  }

  /// Sets whether closing writes the log back into the file. It does not until this is called with true, so that a
  /// damaged file is left unchanged.
  func checkpointsOnClose(_ isWanted: Bool) throws(DatabaseError) {
    // Holds: the connection is open.
    try Self.check(unsafe csqlite_checkpoint_on_close(handle, isWanted ? 1 : 0))
  }

  /// Writes the log back into the file, and truncates it.
  func checkpoint() throws(DatabaseError) {
    // The first column says whether the checkpoint was blocked.
    guard try value("PRAGMA wal_checkpoint(TRUNCATE)") == .integer(0) else {
      throw DatabaseError(code: SQLITE_BUSY)
    }
  }

  /// Runs a statement to its end and discards its rows.
  func run(_ sql: String, _ values: [Value] = []) throws(DatabaseError) {
    var statement = try prepare(sql, values)
    while try statement.step() {}
  }

  /// Returns at most `rowsMax` rows of a statement.
  func rows(_ sql: String, _ values: [Value] = [], rowsMax: Int = 64) throws(DatabaseError) -> [[Value]] {
    var statement = try prepare(sql, values)
    var rows: [[Value]] = []
    while rows.count < rowsMax, try statement.step() { rows.append(statement.values) }
    return rows
  }

  /// Returns the first column of the first row; nil if there is no row.
  func value(_ sql: String) throws(DatabaseError) -> Value? { try rows(sql, rowsMax: 1).first?.first }

  /// Returns a statement with its parameters bound, and allows it a new number of steps.
  func prepare(_ sql: String, _ values: [Value]) throws(DatabaseError) -> Statement {
    // Holds: the connection is open and outlives the statement, which lives only during one call.
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

  // The registry's rows and their digest. Statements contain only names of this program.

  /// Returns the rows of a table, by their numbers.
  func rows(of table: RegistryTable, rowsMax: Int) throws(DatabaseError) -> [[Value]] {
    try rows("SELECT \(table.columnList) FROM \(table.rawValue) ORDER BY number", rowsMax: rowsMax)
  }

  /// Writes the steps of a change, and the digest of the rows after it.
  func apply(_ writes: [RegistryWrite]) throws(DatabaseError) {
    guard var digest = try digest() else { throw DatabaseError.corrupt }
    for write in writes { try apply(write, &digest) }
    try store(digest)
  }

  private func apply(_ write: RegistryWrite, _ digest: inout RowDigest) throws(DatabaseError) {
    switch write {
    case .put(let row):
      try remove(row.table, number: row.number, &digest)
      let values = row.values
      let marks = values.map { _ in "?" }.joined(separator: ", ")
      // The columns have the order of the table's definition.
      try run("INSERT INTO \(row.table.rawValue) VALUES (\(marks))", values)
      digest.add(values, of: row.table)
    case .drop(let table, let number): try remove(table, number: number, &digest)
    }
  }

  private func remove(
    _ table: RegistryTable, number: Int64, _ digest: inout RowDigest
  ) throws(DatabaseError) {
    let old = try rows(
      "SELECT \(table.columnList) FROM \(table.rawValue) WHERE number = ?", [.integer(number)], rowsMax: 1)
    guard let values = old.first else { return }
    digest.remove(values, of: table)
    try run("DELETE FROM \(table.rawValue) WHERE number = ?", [.integer(number)])
  }

  /// The digest that the file has stored; nil if it has none.
  func digest() throws(DatabaseError) -> RowDigest? {
    let rows = try rows("SELECT rowCount, hash FROM digest", rowsMax: 2)
    return rows.count == 1 ? RowDigest(rows[0]) : nil
  }

  private func store(_ digest: RowDigest) throws(DatabaseError) {
    try run("DELETE FROM digest")
    try run("INSERT INTO digest VALUES (1, ?, ?)", digest.values)
  }

  func removeRows() throws(DatabaseError) {
    for table in RegistryTable.allCases { try run("DELETE FROM \(table.rawValue)") }
    try store(RowDigest())
  }

  /// Migrates an older file to the version of `schema`, in one transaction. An empty file gets its tables at once: adding
  /// columns one by one takes a tenth of the agent's start.
  func migrate(_ schema: Schema) throws(DatabaseError) {
    guard case .integer(let version)? = try value("PRAGMA user_version"), version < schema.version else {
      return
    }
    try run("BEGIN IMMEDIATE")
    let statements = version == 0 ? schema.tables : Array(schema.migrations[Int(version)...].joined())
    for statement in statements { try run(statement) }
    if version < Schema.firstDigestedVersion { try digestRows() }
    try run("PRAGMA user_version = \(schema.version)")
    try run("COMMIT")
  }

  private func digestRows() throws(DatabaseError) {
    var digest = RowDigest()
    for table in RegistryTable.allCases {
      for row in try rows(of: table, rowsMax: RegistryLimits.rowsMax(of: table)) {
        digest.add(row, of: table)
      }
    }
    try store(digest)
  }
}

extension String? {
  /// Calls `body` with the text, or with NULL.
  fileprivate func withOptionalCString<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    guard let self else { return body(nil) }
    return unsafe self.withCString { unsafe body($0) }
  }
}

/// An error of SQLite: an extended result code (sqlite.org, "Result and Error Codes").
struct DatabaseError: Error, Equatable, Sendable {
  let code: Int32

  static var corrupt: Self { Self(code: SQLITE_CORRUPT) }

  /// Whether a statement names what is not in the database, or could not be added to it.
  var isRefusedStatement: Bool { kind == SQLITE_ERROR }

  /// The low byte: the primary result code.
  var kind: Int32 { code & 0xFF }

  /// Returns SQLite's text for the code, without a full stop: `disk I/O error`.
  static func reason(_ code: Int32) -> String {
    // Holds: a string that is part of the library.
    guard let text = unsafe sqlite3_errstr(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}

/// A compiled statement and its current row. Its deinitialiser finalizes it.
@safe struct Statement: ~Copyable {
  private let handle: OpaquePointer

  init(owning handle: OpaquePointer) { unsafe self.handle = handle }

  deinit {
    // Holds: the statement has no other owner. The last step already returned any error.
    _ = unsafe sqlite3_finalize(handle)
  }

  /// Moves to the next row; returns false if there is none.
  mutating func step() throws(DatabaseError) -> Bool {
    // Holds: the statement exists until its owner ends, here and below.
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw DatabaseError(code: code)
    }
  }

  /// The columns of the row.
  var values: [Value] {
    var values: [Value] = []
    for column in 0..<(unsafe sqlite3_column_count(handle)) { values.append(value(column)) }
    return values
  }

  func bind(_ values: [Value]) throws(DatabaseError) {
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index) + 1) }
  }

  private func bind(_ value: Value, at index: Int32) throws(DatabaseError) {
    switch value {
    case .null, .unsupported: try Database.check(unsafe sqlite3_bind_null(handle, index))
    case .integer(let integer): try Database.check(unsafe sqlite3_bind_int64(handle, index, integer))
    case .text(let text):
      let bytes = Array(text.utf8)
      // Holds: the bytes are copied before the call returns, here and below.
      try Database.check(
        unsafe bytes.withUnsafeBytes {
          unsafe csqlite_bind_text(handle, index, $0.baseAddress, Int32($0.count))
        })
    case .bytes(let bytes):
      try Database.check(
        unsafe bytes.withUnsafeBytes {
          unsafe csqlite_bind_bytes(handle, index, $0.baseAddress, Int32($0.count))
        })
    }
  }

  private func value(_ column: Int32) -> Value {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(unsafe sqlite3_column_int64(handle, column))
    case SQLITE_TEXT: String(validating: bytes(column), as: UTF8.self).map(Value.text) ?? .unsupported
    case SQLITE_BLOB: .bytes(bytes(column))
    default: .unsupported
    }
  }

  /// Returns a copy of the bytes of a text or blob.
  private func bytes(_ column: Int32) -> [UInt8] {
    // Holds: pointer and count belong together, and the row does not change in between. An empty value has no pointer.
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: unsafe start == nil ? 0 : count))
  }
}

extension RegistryTable {
  fileprivate var columnList: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }
}

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
