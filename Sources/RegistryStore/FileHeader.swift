// SPDX-License-Identifier: GPL-3.0-or-later

import Registry

/// The first 100 octets of a database file (sqlite.org, "Database File Format", 1.3), as far as they say whose it is.
struct FileHeader {
  static let byteCount = 100
  private static let magic = Array("SQLite format 3\0".utf8)

  let applicationID: UInt32

  /// Throws when the file does not begin as a database does.
  init(_ bytes: [UInt8]) throws(RegistryOpenError) {
    guard bytes.count == Self.byteCount else { throw .damaged(.torn(byteCount: bytes.count)) }
    guard bytes.starts(with: Self.magic) else { throw .damaged(.noDatabase) }
    applicationID = bytes[68..<72].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
