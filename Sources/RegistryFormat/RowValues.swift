// SPDX-License-Identifier: GPL-3.0-or-later

package import Registry

/// The values of one row by the names of their columns; absent values are null.
package struct RowValues: Equatable, Sendable {
  private var values: [String: Value] = [:]

  init() {}

  /// Creates a row from values in the order of ``RegistryTable/columns``.
  package init(_ values: [Value], of table: RegistryTable) {
    for (column, value) in zip(table.columns, values) { self.values[column.name] = value }
  }

  subscript(_ column: String) -> Value {
    get { values[column] ?? .null }
    set { values[column] = newValue }
  }

  /// Returns the values in the order of the table's columns.
  package func ordered(for table: RegistryTable) -> [Value] { table.columns.map { self[$0.name] } }

  // MARK: Reading

  package func integer(_ column: String) throws(ColumnError) -> Int64? {
    switch self[column] {
    case .null: nil
    case .integer(let integer): integer
    case .text, .bytes, .unsupported: throw ColumnError(column: column)
    }
  }

  /// Returns a number that fits into `type`.
  func integer<Number: FixedWidthInteger>(
    _ column: String, as type: Number.Type
  ) throws(ColumnError) -> Number? {
    guard let integer = try integer(column) else { return nil }
    guard let number = Number(exactly: integer) else { throw ColumnError(column: column) }
    return number
  }

  func text(_ column: String) throws(ColumnError) -> String? {
    switch self[column] {
    case .null: nil
    case .text(let text): text
    case .integer, .bytes, .unsupported: throw ColumnError(column: column)
    }
  }

  func bytes(_ column: String) throws(ColumnError) -> [UInt8]? {
    switch self[column] {
    case .null: nil
    case .bytes(let bytes): bytes
    case .integer, .text, .unsupported: throw ColumnError(column: column)
    }
  }

  /// Returns a present value converted by `form`.
  func optional<Raw, Value>(
    _ column: String, _ raw: Raw?, _ form: (Raw) -> Value?
  ) throws(ColumnError) -> Value? {
    guard let raw else { return nil }
    guard let value = form(raw) else { throw ColumnError(column: column) }
    return value
  }

  /// Returns a value; throws if it is absent.
  func required<Value>(_ column: String, _ value: Value?) throws(ColumnError) -> Value {
    guard let value else { throw ColumnError(column: column) }
    return value
  }
}
