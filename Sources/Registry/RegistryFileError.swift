// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a file is no registry although it was one, or should be.
public enum RegistryFileError: Equatable, Sendable {
  /// It is shorter than the header of a database.
  case torn(byteCount: Int)
  /// It does not begin like a database.
  case noDatabase
  /// It is gone, and the log of its latest changes is there.
  case missingBesideLog
  /// SQLite cannot read it, and says this.
  case unreadable(RegistryStoreErrorCode)
  /// SQLite's check says this.
  case inconsistent(String)
  /// Its tables are not those of its version.
  case foreignTables
  /// A value cannot be what its column says; `number` is nil when the row has none.
  case badValue(RegistryTable, number: Int64?, column: String)
  /// A row is not, or does not go with others.
  case violation(RegistryConsistencyError)
}
