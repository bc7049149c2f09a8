// SPDX-License-Identifier: GPL-3.0-or-later

/// A value in a TOML text and the line it stands on.
package struct TomlNode: Sendable {
  /// A key of a table and its value.
  package struct Entry: Sendable {
    package let key: String
    package let node: TomlNode
  }

  package indirect enum Value: Sendable {
    case table([Entry])
    case array([TomlNode])
    case text(String)
    case integer(Int64)
    case fraction
    case truth(Bool)
    case date
  }

  /// The line of the key, or of the value when it has none; counted from 1.
  package let line: Int
  package let value: Value

  /// The name of the value's type.
  package var kindName: String {
    switch value {
    case .table: "a table"
    case .array: "a list"
    case .text: "a string"
    case .integer: "an integer"
    case .fraction: "a fraction"
    case .truth: "a truth value"
    case .date: "a date or time"
    }
  }
}
