// SPDX-License-Identifier: GPL-3.0-or-later

/// The tables of the database, and the migrations that create them.
package struct Schema: Sendable {
  /// "AKit": distinguishes registry files from other databases (the 32 bits at byte 68, sqlite.org, "Database File
  /// Format", 1.3).
  static let applicationID: Int64 = 0x414B_6974

  /// The statements that turn each version into the next; version 0 is an empty file.
  package var migrations: [[String]]
  /// The contents of `sqlite_schema` for the last version: the definition of every table, sorted by name.
  package var tables: [String]

  /// The version that this program writes.
  package static let current = Schema(
    migrations: [
      versionOne, [digest], [former],
      [bondRemoval] + wifiAware.map { "ALTER TABLE accessory ADD COLUMN \($0)" },
      ["ALTER TABLE device ADD COLUMN \(bondKeyByteCount)"],
      ["ALTER TABLE device ADD COLUMN \(rhythmMilliseconds)"],
    ],
    tables: [
      accessory(later: wifiAware), account, device(later: [bondKeyByteCount, rhythmMilliseconds]), tombstone,
      digest, former,
      bondRemoval,
    ].sorted())

  /// The first version that stores a digest of its rows.
  static let firstDigestedVersion: Int64 = 2

  package init(migrations: [[String]], tables: [String]) {
    self.migrations = migrations
    self.tables = tables
  }

  /// The value of `user_version`.
  package var version: Int64 { Int64(migrations.count) }

  /// Addresses are six bytes, identifiers sixteen, in the order of their text. Enumerated numbers are those of
  /// AccessorySetupKit or the Core Specification, or are explained where rows are read.
  private static let versionOne = [accessory(later: []), account, device(later: []), tombstone]

  private static let account = """
    CREATE TABLE account (number INTEGER PRIMARY KEY, app TEXT NOT NULL, user INTEGER, "group" INTEGER) STRICT
    """

  private static let tombstone = """
    CREATE TABLE tombstone (number INTEGER PRIMARY KEY, app TEXT NOT NULL, item TEXT NOT NULL, address BLOB, \
    addressType INTEGER, network BLOB, secondAddress BLOB, secondAddressType INTEGER) STRICT
    """

  /// One row: ``RowDigest``.
  private static let digest =
    "CREATE TABLE digest (number INTEGER PRIMARY KEY, rowCount INTEGER NOT NULL, hash INTEGER NOT NULL) STRICT"

  private static let former = """
    CREATE TABLE former (number INTEGER PRIMARY KEY, app TEXT NOT NULL, bluetoothIdentifier BLOB NOT NULL, \
    address BLOB NOT NULL, addressType INTEGER NOT NULL) STRICT
    """

  private static let bondRemoval = """
    CREATE TABLE bondRemoval (number INTEGER PRIMARY KEY, address BLOB NOT NULL, addressType INTEGER NOT NULL) \
    STRICT
    """

  /// Returns the table with columns that SQLite appended to its definition.
  private static func accessory(later: [String]) -> String {
    let columns = [
      "number INTEGER PRIMARY KEY", "identifier BLOB NOT NULL", "app TEXT NOT NULL", "item TEXT",
      "device INTEGER NOT NULL", "bluetoothIdentifier BLOB", "state INTEGER NOT NULL", "ssid BLOB",
      "bridgingIdentifier BLOB", "addedAt INTEGER", descriptor(prefix: "descriptor"),
      descriptor(prefix: "alternate"),
    ]
    return "CREATE TABLE accessory (\((columns + later).joined(separator: ", "))) STRICT"
  }

  /// Returns the table with columns that SQLite appended to its definition.
  private static func device(later: [String]) -> String {
    let columns = [
      "number INTEGER PRIMARY KEY", "address BLOB", "addressType INTEGER", "network BLOB",
      "secondAddress BLOB", "secondAddressType INTEGER", "displayName TEXT NOT NULL",
      "identityDurable INTEGER NOT NULL", "bond TEXT NOT NULL", "bondKeys BLOB",
    ]
    return "CREATE TABLE device (\((columns + later).joined(separator: ", "))) STRICT"
  }

  /// Only for keys that bluetoothd keeps.
  private static let bondKeyByteCount = "bondKeyByteCount INTEGER"

  private static let rhythmMilliseconds = "rhythmMilliseconds INTEGER"

  /// Each descriptor has a service if it has a service name. A paired device's number has eight bytes.
  private static let wifiAware =
    ["wifiAwarePairedDeviceID BLOB"]
    + ["descriptor", "alternate"].flatMap { prefix in
      [
        "ServiceName BLOB", "ServiceRole INTEGER", "ModelName BLOB", "ModelNameCompareOptions INTEGER",
        "VendorName BLOB", "VendorNameCompareOptions INTEGER",
      ].map { "\(prefix)WiFiAware\($0)" }
    }

  /// Returns the columns of a descriptor; without a range there is no descriptor.
  private static func descriptor(prefix: String) -> String {
    [
      "CompanyIdentifier INTEGER", "ManufacturerDataBlob BLOB", "ManufacturerDataMask BLOB",
      "ServiceUUID BLOB",
      "ServiceDataBlob BLOB", "ServiceDataMask BLOB", "NameSubstring BLOB", "NameCompareOptions INTEGER",
      "Range INTEGER", "SSID BLOB", "SSIDPrefix BLOB", "SupportedOptions INTEGER",
    ].map { prefix + $0 }.joined(separator: ", ")
  }
}
