// SPDX-License-Identifier: GPL-3.0-or-later

package import Registry

/// A column of a table: its name in the file and in exports.
package struct Column: Equatable, Sendable {
  enum Kind: Sendable { case integer, text, bytes }

  package let name: String
  let kind: Kind
  /// Whether exports without keys leave the column out.
  var isSecret = false
  /// Whether older versions had the table without the column.
  package private(set) var isAddedLater = false

  static func integer(_ name: String) -> Column { Column(name: name, kind: .integer) }
  static func text(_ name: String) -> Column { Column(name: name, kind: .text) }
  static func bytes(_ name: String) -> Column { Column(name: name, kind: .bytes) }

  /// The column, as one that was added to an older table.
  fileprivate var addedLater: Column {
    var column = self
    column.isAddedLater = true
    return column
  }
}

extension RegistryTable {
  /// In the order in which values are read, written and exported.
  package var columns: [Column] {
    switch self {
    case .account: [.integer("number"), .text("app"), .integer("user"), .integer("group")]
    case .device:
      [.integer("number")] + Self.identity
        + [
          .text("displayName"), .integer("identityDurable"), .text("bond"),
          Column(name: "bondKeys", kind: .bytes, isSecret: true),
          .integer("bondKeyByteCount").addedLater, .integer("rhythmMilliseconds").addedLater,
        ]
    case .accessory:
      [
        .integer("number"), .bytes("identifier"), .text("app"), .text("item"), .integer("device"),
        .bytes("bluetoothIdentifier"), .integer("state"), .bytes("ssid"), .bytes("bridgingIdentifier"),
        .integer("addedAt"),
      ] + Self.descriptor("descriptor") + Self.descriptor("alternate") + Self.wifiAware.map(\.addedLater)
    case .tombstone: [.integer("number"), .text("app"), .text("item")] + Self.identity
    case .former:
      [
        .integer("number"), .text("app"), .bytes("bluetoothIdentifier"), .bytes("address"),
        .integer("addressType"),
      ]
    case .bondRemoval: [.integer("number"), .bytes("address"), .integer("addressType")]
    }
  }

  private static let identity: [Column] = [
    .bytes("address"), .integer("addressType"), .bytes("network"), .bytes("secondAddress"),
    .integer("secondAddressType"),
  ]

  private static func descriptor(_ prefix: String) -> [Column] {
    [
      .integer(prefix + "CompanyIdentifier"), .bytes(prefix + "ManufacturerDataBlob"),
      .bytes(prefix + "ManufacturerDataMask"), .bytes(prefix + "ServiceUUID"),
      .bytes(prefix + "ServiceDataBlob"), .bytes(prefix + "ServiceDataMask"),
      .bytes(prefix + "NameSubstring"), .integer(prefix + "NameCompareOptions"), .integer(prefix + "Range"),
      .bytes(prefix + "SSID"), .bytes(prefix + "SSIDPrefix"), .integer(prefix + "SupportedOptions"),
    ]
  }

  private static let wifiAware: [Column] =
    [.bytes("wifiAwarePairedDeviceID")]
    + ["descriptor", "alternate"].flatMap { prefix -> [Column] in
      [
        .bytes(prefix + "WiFiAwareServiceName"), .integer(prefix + "WiFiAwareServiceRole"),
        .bytes(prefix + "WiFiAwareModelName"), .integer(prefix + "WiFiAwareModelNameCompareOptions"),
        .bytes(prefix + "WiFiAwareVendorName"), .integer(prefix + "WiFiAwareVendorNameCompareOptions"),
      ]
    }
}

/// The value of one column of one row.
package enum Value: Equatable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  /// A floating-point number, or text that is not UTF-8; this program writes neither.
  case unsupported
}

/// A column with an invalid value.
package struct ColumnError: Error, Equatable, Sendable {
  package let column: String
}
