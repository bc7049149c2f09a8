// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Registry

extension RowValues {
  // MARK: Addresses

  func address(_ column: String, type typeColumn: String) throws(ColumnError) -> DeviceAddress? {
    let bits = try bits(column)
    let type = try optional(typeColumn, integer(typeColumn, as: UInt8.self), AddressType.init(rawValue:))
    guard let bits else {
      guard type == nil else { throw ColumnError(column: typeColumn) }
      return nil
    }
    return DeviceAddress(bits: bits, type: try required(typeColumn, type))
  }

  mutating func setAddress(_ address: DeviceAddress?, _ column: String, type typeColumn: String) {
    setBits(address?.bits, column)
    self[typeColumn] = address.map { .integer(Int64($0.type.rawValue)) } ?? .null
  }

  /// Returns `byteCount` bytes, most significant first, as a number.
  func bits(_ column: String, byteCount: Int = 6) throws(ColumnError) -> UInt64? {
    try optional(column, bytes(column)) { $0.count == byteCount ? UInt64(bigEndian: $0) : nil }
  }

  mutating func setBits(_ bits: UInt64?, _ column: String, byteCount: Int = 6) {
    setBytes(bits.map { $0.littleEndianBytes.prefix(byteCount).reversed() }, column)
  }

  // MARK: Identities

  /// Returns the address or the network; throws if there are both or none.
  func identity() throws(ColumnError) -> DeviceIdentity {
    let address = try address("address", type: "addressType")
    let network = try bytes("network")
    switch (address, network) {
    case (let address?, nil): return .bluetooth(address)
    case (nil, let network?): return .network(network)
    case (nil, nil), (_?, _?): throw ColumnError(column: "network")
    }
  }

  mutating func setIdentity(_ identity: DeviceIdentity) {
    setAddress(identity.address, "address", type: "addressType")
    setBytes(identity.ssid, "network")
  }

  // MARK: Others

  func identifier(_ column: String) throws(ColumnError) -> RandomIdentifier? {
    try optional(column, bytes(column), RandomIdentifier.init(bytes:))
  }

  mutating func setBytes(_ bytes: [UInt8]?, _ column: String) {
    self[column] = bytes.map(Value.bytes) ?? .null
  }

  mutating func setInteger(_ integer: Int64?, _ column: String) {
    self[column] = integer.map(Value.integer) ?? .null
  }
}
