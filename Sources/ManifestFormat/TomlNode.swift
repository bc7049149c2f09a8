// SPDX-License-Identifier: GPL-3.0-or-later

/// A value in a TOML text and its line.
package struct TomlNode: Sendable {
  /// A key of a table and its value.
  package struct Entry: Sendable {
    package let key: String
    package let node: TomlNode
  }

  package indirect enum Value: Sendable {
    case table([Entry])
    case array([TomlNode])
    case string(String)
    case integer(Int64)
    case float
    case boolean(Bool)
    case date
  }

  /// The line of the key, or of the value when it has none; counted from 1.
  package let line: Int
  package let value: Value

  /// The value of a key of a table; nil for any other value, or without the key.
  package func entry(_ key: String) -> TomlNode? {
    guard case .table(let entries) = value else { return nil }
    return entries.first { $0.key == key }?.node
  }

  /// The name of the value's type.
  package var kindName: String {
    switch value {
    case .table: "a table"
    case .array: "a list"
    case .string: "a string"
    case .integer: "an integer"
    case .float: "a fraction"
    case .boolean: "a boolean"
    case .date: "a date or time"
    }
  }
}
