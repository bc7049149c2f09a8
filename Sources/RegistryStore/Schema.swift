// SPDX-License-Identifier: GPL-3.0-or-later

/// The tables as they are, and how they came to be.
package struct Schema: Sendable {
  /// "AKit": tells our files from others (the 32 bits at octet 68, sqlite.org, "Database File Format", 1.3).
  static let applicationID: Int64 = 0x414B_6974

  /// The statements that make each version of the one before; version 0 is an empty file.
  package var ladder: [[String]]
  /// What `sqlite_schema` says of the last version: every table as it was made, by name.
  package var tables: [String]

  /// What this program writes.
  package static let current = Schema(ladder: [versionOne], tables: versionOne)

  package init(ladder: [[String]], tables: [String]) {
    self.ladder = ladder
    self.tables = tables
  }

  /// The value of `user_version`, and of `registry` in exports.
  package var version: Int64 { Int64(ladder.count) }

  /// Addresses are six octets, identifiers sixteen, as they are written in text. Numbers that stand for something are
  /// AccessorySetupKit's, the Core Specification's, or explained where rows are read.
  private static let versionOne = [
    """
    CREATE TABLE accessory (number INTEGER PRIMARY KEY, identifier BLOB NOT NULL, app TEXT NOT NULL, item TEXT, \
    device INTEGER NOT NULL, bluetoothIdentifier BLOB, state INTEGER NOT NULL, ssid BLOB, \
    bridgingIdentifier BLOB, addedAt INTEGER, \
    \(descriptor(prefix: "descriptor")), \(descriptor(prefix: "alternate"))) STRICT
    """,
    """
    CREATE TABLE account (number INTEGER PRIMARY KEY, app TEXT NOT NULL, user INTEGER, "group" INTEGER) STRICT
    """,
    """
    CREATE TABLE device (number INTEGER PRIMARY KEY, address BLOB, addressType INTEGER, network BLOB, \
    secondAddress BLOB, secondAddressType INTEGER, displayName TEXT NOT NULL, \
    identityDurable INTEGER NOT NULL, bond TEXT NOT NULL, bondKeys BLOB) STRICT
    """,
    """
    CREATE TABLE tombstone (number INTEGER PRIMARY KEY, app TEXT NOT NULL, item TEXT NOT NULL, address BLOB, \
    addressType INTEGER, network BLOB, secondAddress BLOB, secondAddressType INTEGER) STRICT
    """,
  ]

  /// The columns of a descriptor; without a range there is none.
  private static func descriptor(prefix: String) -> String {
    [
      "CompanyIdentifier INTEGER", "ManufacturerDataBlob BLOB", "ManufacturerDataMask BLOB",
      "ServiceUUID BLOB",
      "ServiceDataBlob BLOB", "ServiceDataMask BLOB", "NameSubstring BLOB", "NameCompareOptions INTEGER",
      "Range INTEGER", "SSID BLOB", "SSIDPrefix BLOB", "SupportedOptions INTEGER",
    ].map { prefix + $0 }.joined(separator: ", ")
  }
}
