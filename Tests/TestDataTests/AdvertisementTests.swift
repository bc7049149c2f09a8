// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

/// One line of `advertisements.jsonl`, as far as it is about bytes.
struct AdvertisementVector: Decodable {
  let id: String
  let rawAdHex: String?
  let flags: UInt8?
  let name: String?
  let txPower: Int8?
  let manufacturerData: [String: String]?
  let serviceData: [String: String]?
  let serviceUuids: [String]?
}

@Suite(
  "Advertisements of real devices", .enabled(if: TestData.isPresent, Comment(rawValue: TestData.absence)))
struct AdvertisementTests {
  let vectors: [AdvertisementVector]

  init() throws {
    vectors = try TestData.records("advertisements.jsonl", as: AdvertisementVector.self)
  }

  /// Fields that a source gives beside bytes that do not hold them; the bytes were decoded by hand and with
  /// tshark. Its fields come from another packet of the device, or from what its host stack remembered.
  static let fieldsFromElsewhere: [String: Set<String>] = [
    "ble-monitor-073c3205d7": ["service_uuids"],
    "ble-monitor-d01fa1f932": ["service_uuids"],
    "govee-ble-9fd51c91f9": ["service_uuids"],
    "bluemaestro-ble-fde49854f7": ["manufacturer_data", "name"],
    "inkbird-ble-9486a8f252": ["manufacturer_data", "name", "service_uuids"],
    "thermobeacon-ble-11d6fb787f": ["manufacturer_data", "name", "service_uuids"],
    "thermopro-ble-deba7543c3": ["manufacturer_data", "name"],
  ]

  @Test("All of them are there")
  func count() {
    #expect(vectors.count == 736)
    #expect(vectors.count { $0.rawAdHex != nil } == 227)
  }

  @Test("What the bytes say is what the source says")
  func fields() {
    for vector in vectors {
      guard let raw = vector.rawAdHex else { continue }
      let read = ReadFields([PayloadReading(hex(raw))])
      let foreign = Self.fieldsFromElsewhere[vector.id] ?? []
      func check<Value: Equatable>(_ field: String, _ expected: Value?, _ found: Value?) {
        guard let expected else { return }
        let comment: Comment = "\(vector.id) \(field)"
        if foreign.contains(field) {
          #expect(found != expected, comment)
        } else {
          #expect(found == expected, comment)
        }
      }
      check("flags", vector.flags, read.flags)
      check("tx_power", vector.txPower, read.txPower)
      check("name", vector.name, read.name?.text)
      check("manufacturer_data", vector.manufacturerData, read.manufacturerData)
      check("service_data", vector.serviceData, read.serviceData)
      check("service_uuids", vector.serviceUuids, read.services)
    }
  }

  @Test("Only payloads that the source cut are malformed")
  func malformed() {
    let cut: Set = [
      "android-beacon-library-220810abd1", "android-beacon-library-2e254c31ae", "beacontools-11af34e71b",
      "ble-monitor-0db6323d85", "ble-monitor-482e972758",
    ]
    for vector in vectors {
      guard let raw = vector.rawAdHex else { continue }
      let kinds = PayloadReading(hex(raw)).malformations.map(\.kind)
      if cut.contains(vector.id) {
        #expect(kinds == [.lengthPastEnd], "\(vector.id)")
      } else if vector.id == "ble-monitor-31f63c9e52" {
        // Six 32-bit UUIDs and half of one: the list keeps the six.
        #expect(kinds == [.wrongSize], "\(vector.id)")
      } else {
        #expect(kinds == [], "\(vector.id)")
      }
    }
  }
}
