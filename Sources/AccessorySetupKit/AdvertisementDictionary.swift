// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

// The keys of `ASDiscoveredAccessory.bluetoothAdvertisementData`, with the values that iOS has.

/// The local name, a `String`.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// Manufacturer data, as `Data` that begins with the company identifier.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// Service data, a `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// The services, a `[CBUUID]`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// Services in the overflow area of iOS. A gateway never has the key.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// The services that the device looks for, a `[CBUUID]`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"
/// The transmit power in dBm, an `NSNumber`.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// Whether the device invites connections, an `NSNumber`; absent when it is not known.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"

/// Advertising data in the AD format (Core Specification, volume 3, part C, 11) as CoreBluetooth shows it.
///
/// A structure that runs past the end ends the data; a value of the wrong size loses only itself.
package struct AdvertisementDictionary {
  private var completeName: String?
  private var shortName: String?
  private var manufacturerData: Data?
  private var serviceData: [CBUUID: Data] = [:]
  private var services: [CBUUID] = []
  private var solicitedServices: [CBUUID] = []
  private var txPower: Int8?
  private let isConnectable: Bool?

  package init(_ payload: [UInt8], isConnectable: Bool?) {
    self.isConnectable = isConnectable
    var rest = payload[...]
    while let length = rest.first.map({ Int($0) }) {
      // A length of 0 ends the data early.
      guard length > 0, rest.count > length else { return }
      let structure = rest.dropFirst().prefix(length)
      if let type = structure.first { read(type, structure.dropFirst()) }
      rest = rest.dropFirst(1 + length)
    }
  }

  /// The local name, the complete one before the shortened.
  package var name: String? { completeName ?? shortName }

  package var values: [AnyHashable: Any] {
    var values: [AnyHashable: Any] = [:]
    values[CBAdvertisementDataLocalNameKey] = name
    values[CBAdvertisementDataManufacturerDataKey] = manufacturerData
    if !serviceData.isEmpty { values[CBAdvertisementDataServiceDataKey] = serviceData }
    if !services.isEmpty { values[CBAdvertisementDataServiceUUIDsKey] = services }
    if !solicitedServices.isEmpty { values[CBAdvertisementDataSolicitedServiceUUIDsKey] = solicitedServices }
    values[CBAdvertisementDataTxPowerLevelKey] = txPower.map { NSNumber(value: $0) }
    values[CBAdvertisementDataIsConnectable] = isConnectable.map { NSNumber(value: $0) }
    return values
  }

  /// Types: Assigned Numbers, 2.3.
  private mutating func read(_ type: UInt8, _ bytes: ArraySlice<UInt8>) {
    switch type {
    case 0x02, 0x03: services += Self.identifiers(bytes, byteCount: 2)
    case 0x04, 0x05: services += Self.identifiers(bytes, byteCount: 4)
    case 0x06, 0x07: services += Self.identifiers(bytes, byteCount: 16)
    case 0x08: shortName = shortName ?? Self.text(bytes)
    case 0x09: completeName = completeName ?? Self.text(bytes)
    case 0x0A: if bytes.count == 1 { txPower = bytes.first.map { Int8(bitPattern: $0) } }
    case 0x14: solicitedServices += Self.identifiers(bytes, byteCount: 2)
    case 0x15: solicitedServices += Self.identifiers(bytes, byteCount: 16)
    case 0x1F: solicitedServices += Self.identifiers(bytes, byteCount: 4)
    case 0x16: readServiceData(bytes, byteCount: 2)
    case 0x20: readServiceData(bytes, byteCount: 4)
    case 0x21: readServiceData(bytes, byteCount: 16)
    case 0xFF: if manufacturerData == nil, bytes.count >= 2 { manufacturerData = Data(bytes) }
    default: break
    }
  }

  private mutating func readServiceData(_ bytes: ArraySlice<UInt8>, byteCount: Int) {
    guard bytes.count >= byteCount else { return }
    let service = CBUUID(bytes: bytes.prefix(byteCount).reversed())
    serviceData[service] = Data(bytes.dropFirst(byteCount))
  }

  /// Identifiers are least significant byte first.
  private static func identifiers(_ bytes: ArraySlice<UInt8>, byteCount: Int) -> [CBUUID] {
    guard bytes.count.isMultiple(of: byteCount) else { return [] }
    return stride(from: bytes.startIndex, to: bytes.endIndex, by: byteCount).map { start in
      CBUUID(bytes: bytes[start..<(start + byteCount)].reversed())
    }
  }

  /// Trailing NULs, which real devices send, are not part of a name.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    var bytes = bytes
    while bytes.last == 0 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}
