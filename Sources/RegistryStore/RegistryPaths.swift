// SPDX-License-Identifier: GPL-3.0-or-later

/// The names of a registry's files, all in one folder.
struct RegistryPaths {
  /// Names that are tried for a file that is moved aside.
  static let keptMax = 1_000

  let file: String

  /// What SQLite puts beside a database while it is open, and leaves there when the power fails.
  static let logs = ["-wal", "-journal"]

  /// Where a new registry is made before it gets its name.
  var draft: String { file + ".new" }

  /// A name for what is moved aside.
  func kept(_ count: Int) -> String { "\(file).kept-\(count)" }
}
