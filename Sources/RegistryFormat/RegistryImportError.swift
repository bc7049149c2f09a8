// SPDX-License-Identifier: GPL-3.0-or-later

public import JSON
public import Registry

/// Why lines are no registry that was exported. `line` counts from 1.
public enum RegistryImportError: Error, Equatable, Sendable {
  case notJSON(line: Int, JSONError)
  /// The first line does not say a version and a number of rows.
  case noHead
  /// A later version of this program wrote it, or none.
  case version(Int64, known: Int64)
  /// Lines are missing, or there are too many.
  case rowCount(Int, announced: Int64)
  /// A line is no object that says which table it is a row of.
  case noRow(line: Int)
  /// A name is none of the table's columns, or what it has is of the wrong kind or out of its bounds.
  case badValue(line: Int, column: String)
  /// The rows contradict each other.
  case violation(RegistryConsistencyError)
}
