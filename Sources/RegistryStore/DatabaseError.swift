// SPDX-License-Identifier: GPL-3.0-or-later

import CSQLite

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
