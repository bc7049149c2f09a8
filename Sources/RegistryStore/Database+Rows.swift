// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import RegistryFormat

/// The registry's rows and their digest. Statements contain only names of this program.
extension Database {
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

  /// Removes every row.
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

extension RegistryTable {
  fileprivate var columnList: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }
}
