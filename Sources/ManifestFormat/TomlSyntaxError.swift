// SPDX-License-Identifier: GPL-3.0-or-later

/// The one reason why a text is not TOML that we read, and where.
package struct TomlSyntaxError: Error, Equatable {
  package enum Reason: Equatable, Sendable {
    /// The parser's own words.
    case malformed(String)
    case tooLong(byteCount: Int)
    /// TOML allows other characters in strings and comments only.
    case notASCII
    case tooManyKeySegments
    case tooDeep
    case openString
    case outOfMemory
  }

  package let line: Int
  package let reason: Reason
}
