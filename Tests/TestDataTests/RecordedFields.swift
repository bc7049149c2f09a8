// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import TestSupport
import VirtualRadio

/// An advertisement as its source gives it: its bytes, or fields that were decoded from them.
struct RecordedFields: Decodable {
  var rawAdHex: String?
  var name: String?
  /// Company identifier as `0xCCCC`, and what follows it.
  var manufacturerData: [String: String]?
  var serviceData: [String: String]?
  var serviceUuids: [String]?

  /// In the order of their identifiers, so that every run is the same.
  var companies: [(identifier: UInt16, data: [UInt8])] {
    (manufacturerData ?? [:]).sorted { $0.key < $1.key }.compactMap { key, data in
      UInt16(key.dropFirst(2), radix: 16).map { ($0, hex(data)) }
    }
  }

  var keyedData: [(uuid: BluetoothUUID, data: [UInt8])] {
    (serviceData ?? [:]).sorted { $0.key < $1.key }.compactMap { key, data in
      IdentifierText.serviceUUID(key).map { ($0, hex(data)) }
    }
  }

  var services: [BluetoothUUID] { (serviceUuids ?? []).compactMap(IdentifierText.serviceUUID) }

  /// An AD structure for each field; a name comes first, so that the rest can follow in any order.
  var structures: [[UInt8]] {
    var structures = companies.map { AdvertisingPayload().manufacturerData($0.identifier, $0.data).bytes }
    structures += keyedData.map { AdvertisingPayload().serviceData($0.uuid, $0.data).bytes }
    structures += services.map { AdvertisingPayload().services($0).bytes }
    return structures
  }

  var nameStructure: [UInt8] {
    name.map { AdvertisingPayload().name($0).bytes } ?? []
  }

  /// The structures in as few payloads of at most `byteCountMax` as it takes, each behind the name; nil when one does
  /// not fit. Bytes of the source stay as they are, in one piece.
  func payloads(ofAtMost byteCountMax: Int) -> [[UInt8]]? {
    if let rawAdHex {
      let raw = hex(rawAdHex)
      return raw.count <= byteCountMax ? [raw] : nil
    }
    var payloads = [nameStructure]
    for structure in structures {
      guard nameStructure.count + structure.count <= byteCountMax else { return nil }
      if payloads[payloads.count - 1].count + structure.count > byteCountMax {
        payloads.append(nameStructure)
      }
      payloads[payloads.count - 1] += structure
    }
    return payloads[0].count <= byteCountMax ? payloads : nil
  }
}
