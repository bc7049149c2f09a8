// SPDX-License-Identifier: GPL-3.0-or-later

import CSQLite
import RegistryFormat

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
