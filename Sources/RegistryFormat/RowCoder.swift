// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
package import Registry

/// One pass over the columns of a row, in the order of the table. It writes the row's values, or reads them into the row.
///
/// A row names each column once, where it passes it: what it reads, writes and exports, and the definition of its table,
/// come from the same list. What has several columns is put together again after they were passed, which changes nothing
/// while a row is written.
struct RowCoder {
  /// The columns that were passed.
  private(set) var columns: [Column] = []
  /// The values of the columns, null where the row has none.
  private(set) var values: [Value]
  /// The first invalid value that was read.
  private(set) var error: ColumnError?
  private let isReading: Bool

  /// Writes the values of a row.
  init(writing row: RegistryRow) {
    (values, isReading) = ([], false)
    var row = row
    row.pass(&self)
  }

  /// Begins to read values that have the order of their table's columns.
  init(reading values: [Value]) { (self.values, isReading) = (values, true) }

  mutating func fail(_ column: String) {
    if error == nil { error = ColumnError(column: column) }
  }

  // MARK: Columns

  /// Passes a column that is null without a value.
  mutating func column<Content: ColumnValue>(
    _ name: String, _ content: inout Content?, isRequired: Bool = false, isSecret: Bool = false,
    addedIn: Int64? = nil
  ) {
    let index = columns.count
    columns.append(
      Column(
        name: name, kind: Content.columnKind, isRequired: isRequired, isSecret: isSecret, addedIn: addedIn))
    guard isReading else { return values.append(content?.columnValue ?? .null) }
    content = Content(values[index])
    if content == nil, isRequired || values[index] != .null { fail(name) }
  }

  /// Passes a column that is never null.
  mutating func column<Content: ColumnValue>(_ name: String, _ content: inout Content) {
    var optional: Content? = content
    column(name, &optional, isRequired: true)
    content = optional ?? content
  }

  // MARK: Several columns

  /// Passes a number as its last bytes, most significant first.
  mutating func bits(
    _ name: String, _ bits: inout UInt64?, byteCount: Int = 6, isRequired: Bool = false, addedIn: Int64? = nil
  ) {
    var bytes: [UInt8]? = bits.map { $0.littleEndianBytes.prefix(byteCount).reversed() }
    column(name, &bytes, isRequired: isRequired, addedIn: addedIn)
    if let bytes, bytes.count != byteCount { fail(name) }
    bits = bytes.map { UInt64(bigEndian: $0.prefix(byteCount)) }
  }

  mutating func address(_ name: String, _ address: inout DeviceAddress?, isRequired: Bool = false) {
    var (bits, type) = (address?.bits, address?.type)
    self.bits(name, &bits, isRequired: isRequired)
    column(name + "Type", &type, isRequired: isRequired)
    address = both(bits, type, name + "Type") { DeviceAddress(bits: $0, type: $1) }
  }

  mutating func address(_ address: inout DeviceAddress) {
    var optional: DeviceAddress? = address
    self.address("address", &optional, isRequired: true)
    address = optional ?? address
  }

  mutating func identity(_ identity: inout DeviceIdentity) {
    var (address, network) = (identity.address, identity.ssid)
    self.address("address", &address)
    column("network", &network)
    identity =
      either(address.map(DeviceIdentity.bluetooth), network.map(DeviceIdentity.network), "network")
      ?? identity
  }

  /// Returns what two columns make together; an error of the named column if only one has a value, or they do not fit.
  mutating func both<First, Second, Content>(
    _ first: First?, _ second: Second?, _ column: String, _ make: (First, Second) -> Content?
  ) -> Content? {
    if first == nil, second == nil { return nil }
    let content = first.flatMap { first in second.flatMap { make(first, $0) } }
    if content == nil { fail(column) }
    return content
  }

  /// Returns the one value that there is; an error of the named column if there are both or none.
  mutating func either<Content>(_ first: Content?, _ second: Content?, _ column: String) -> Content? {
    if (first == nil) == (second == nil) { fail(column) }
    return first ?? second
  }

  /// Passes the descriptor in the columns that begin with `prefix`. Without a range there is no descriptor.
  mutating func descriptor(_ prefix: String, _ descriptor: inout DiscoveryDescriptor?) {
    var clauses = descriptor ?? DiscoveryDescriptor()
    var range = descriptor?.range
    var service = clauses.serviceUUID.map { RandomIdentifier(high: $0.high, low: $0.low) }
    column(prefix + "CompanyIdentifier", &clauses.companyIdentifier)
    maskedBytes(prefix + "ManufacturerData", &clauses.manufacturerData)
    column(prefix + "ServiceUUID", &service)
    maskedBytes(prefix + "ServiceData", &clauses.serviceData)
    column(prefix + "NameSubstring", &clauses.nameSubstring)
    options(prefix + "NameCompareOptions", &clauses.nameCompareOptions)
    column(prefix + "Range", &range)
    column(prefix + "SSID", &clauses.ssid)
    column(prefix + "SSIDPrefix", &clauses.ssidPrefix)
    options(prefix + "SupportedOptions", &clauses.supportedOptions)
    clauses.serviceUUID = service.map { BluetoothUUID(high: $0.high, low: $0.low) }
    clauses.range = range ?? clauses.range
    descriptor = range.map { _ in clauses }
  }

  /// Passes the Wi-Fi Aware part of a descriptor. Without a service name there is no service.
  mutating func wifiAware(_ prefix: String, of descriptor: inout DiscoveryDescriptor?) {
    let service = descriptor?.wifiAware
    var (name, role) = (service?.serviceName, service?.role)
    var (model, vendor) = (service?.modelName, service?.vendorName)
    column(prefix + "ServiceName", &name, addedIn: 4)
    column(prefix + "ServiceRole", &role, addedIn: 4)
    nameMatch(prefix + "ModelName", &model)
    nameMatch(prefix + "VendorName", &vendor)
    if name == nil, role != nil || model != nil || vendor != nil { fail(prefix + "ServiceName") }
    descriptor?.wifiAware = both(name, role, prefix + "ServiceRole") { name, role in
      var service = WiFiAwareService(serviceName: name)
      (service.role, service.modelName, service.vendorName) = (role, model, vendor)
      return service
    }
  }

  private mutating func nameMatch(_ column: String, _ match: inout WiFiAwareService.NameMatch?) {
    var (text, options) = (match?.text, match?.compareOptions ?? [])
    self.column(column, &text, addedIn: 4)
    self.options(column + "CompareOptions", &options, addedIn: 4)
    if text == nil, !options.isEmpty { fail(column + "CompareOptions") }
    match = text.map { WiFiAwareService.NameMatch(text: $0, compareOptions: options) }
  }

  private mutating func maskedBytes(_ prefix: String, _ bytes: inout MaskedBytes?) {
    var (blob, mask) = (bytes?.blob, bytes?.mask)
    column(prefix + "Blob", &blob)
    column(prefix + "Mask", &mask)
    bytes = both(blob, mask, prefix + "Mask") { MaskedBytes(blob: $0, mask: $1) }
  }

  /// Passes options, which are null if none is set.
  private mutating func options<Options: OptionSet & ColumnValue>(
    _ name: String, _ options: inout Options, addedIn: Int64? = nil
  ) {
    var optional = options.isEmpty ? nil : options
    column(name, &optional, addedIn: addedIn)
    options = optional ?? []
  }
}

/// What one column can hold.
protocol ColumnValue {
  static var columnKind: Column.Kind { get }
  /// nil for a value of another kind, or out of range.
  init?(_ value: Value)
  var columnValue: Value { get }
}

extension String: ColumnValue {
  static var columnKind: Column.Kind { .text }
  init?(_ value: Value) {
    guard case .text(let text) = value else { return nil }
    self = text
  }
  var columnValue: Value { .text(self) }
}

extension [UInt8]: ColumnValue {
  static var columnKind: Column.Kind { .bytes }
  init?(_ value: Value) {
    guard case .bytes(let bytes) = value else { return nil }
    self = bytes
  }
  var columnValue: Value { .bytes(self) }
}

extension FixedWidthInteger {
  static var columnKind: Column.Kind { .integer }
  init?(_ value: Value) {
    guard case .integer(let integer) = value else { return nil }
    self.init(exactly: integer)
  }
  var columnValue: Value { .integer(Int64(clamping: self)) }
}

extension Int64: ColumnValue {}
extension Int: ColumnValue {}
extension UInt: ColumnValue {}
extension UInt8: ColumnValue {}
extension UInt16: ColumnValue {}
extension UInt32: ColumnValue {}

extension RawRepresentable where RawValue: ColumnValue {
  static var columnKind: Column.Kind { RawValue.columnKind }
  init?(_ value: Value) {
    guard let rawValue = RawValue(value) else { return nil }
    self.init(rawValue: rawValue)
  }
  var columnValue: Value { rawValue.columnValue }
}

extension AddressType: ColumnValue {}
extension AccessoryState: ColumnValue {}
extension CompareOptions: ColumnValue {}
extension SupportOptions: ColumnValue {}
extension DiscoveryDescriptor.Range: ColumnValue {}
extension WiFiAwareService.Role: ColumnValue {}

/// Sixteen bytes, in the order of their text.
extension RandomIdentifier: ColumnValue {
  static var columnKind: Column.Kind { .bytes }
  init?(_ value: Value) {
    guard let bytes = [UInt8](value) else { return nil }
    self.init(bytes: bytes)
  }
  var columnValue: Value { .bytes(bytes) }
}

/// A column of a table: its name in the file and in exports.
package struct Column: Equatable, Sendable {
  package enum Kind: String, Sendable { case integer = "INTEGER", text = "TEXT", bytes = "BLOB" }

  package let name: String
  package let kind: Kind
  /// Whether every row has a value.
  package let isRequired: Bool
  /// Whether exports without keys leave the column out.
  package let isSecret: Bool
  /// The version of the file that added the column to its table; nil for the columns that the table began with.
  package let addedIn: Int64?
}

extension RegistryTable {
  /// In the order in which values are read, written and exported.
  package var columns: [Column] { Self.columns[self] ?? [] }

  private static let columns = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, RowCoder(writing: $0.blank).columns) })

  /// The version of the file that added the table.
  package var addedIn: Int64 {
    switch self {
    case .account, .device, .accessory, .tombstone: 1
    case .former: 3
    case .bondRemoval: 4
    }
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
