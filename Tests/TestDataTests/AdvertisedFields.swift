// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

/// The fields that a vector expects in a payload; one that is absent is not asserted.
struct AdvertisedFields: Decodable {
  /// A field that a vector may leave out, or expect to be absent.
  enum Optionally<Value: Decodable & Equatable>: Decodable, Equatable {
    case absent
    case present(Value)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      self = container.decodeNil() ? .absent : .present(try container.decode(Value.self))
    }

    init(_ value: Value?) { self = value.map(Self.present) ?? .absent }
  }

  var flags: UInt8?
  var name: Optionally<String>?
  var nameComplete: Bool?
  var txPower: Optionally<Int8>?
  var appearance: UInt16?
  var serviceUuids: [String]?
  var solicitationUuids: [String]?
  var serviceData: [String: String]?
  var manufacturerData: [String: String]?
  var uris: [String]?
  var adTypes: [UInt8]?
  var malformed: String?

  enum CodingKeys: CodingKey {
    case flags, name, nameComplete, txPower, appearance, serviceUuids, solicitationUuids, serviceData
    case manufacturerData, uris, adTypes, malformed
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    flags = try fields.decodeIfPresent(UInt8.self, forKey: .flags)
    // A null says something else than no key at all.
    if fields.contains(.name) { name = try fields.decode(Optionally<String>.self, forKey: .name) }
    nameComplete = try fields.decodeIfPresent(Bool.self, forKey: .nameComplete)
    if fields.contains(.txPower) { txPower = try fields.decode(Optionally<Int8>.self, forKey: .txPower) }
    appearance = try fields.decodeIfPresent(UInt16.self, forKey: .appearance)
    serviceUuids = try fields.decodeIfPresent([String].self, forKey: .serviceUuids)
    solicitationUuids = try fields.decodeIfPresent([String].self, forKey: .solicitationUuids)
    serviceData = try fields.decodeIfPresent([String: String].self, forKey: .serviceData)
    manufacturerData = try fields.decodeIfPresent([String: String].self, forKey: .manufacturerData)
    uris = try fields.decodeIfPresent([String].self, forKey: .uris)
    adTypes = try fields.decodeIfPresent([UInt8].self, forKey: .adTypes)
    malformed = try fields.decodeIfPresent(String.self, forKey: .malformed)
  }

  /// Compares what is expected with what was read of one device's payloads.
  func check(_ readings: PayloadReading..., id: String) { check(readings, id: id) }

  func check(_ readings: [PayloadReading], id: String) {
    let read = ReadFields(readings)
    if let flags { #expect(read.flags == flags, "\(id)") }
    if let name { #expect(Optionally(read.name?.text) == name, "\(id)") }
    if let nameComplete { #expect(read.name?.isComplete == nameComplete, "\(id)") }
    if let txPower { #expect(Optionally(read.txPower) == txPower, "\(id)") }
    if let appearance { #expect(read.appearance == appearance, "\(id)") }
    if let serviceUuids { #expect(read.services == serviceUuids, "\(id)") }
    if let solicitationUuids { #expect(read.solicitations == solicitationUuids, "\(id)") }
    if let serviceData { #expect(read.serviceData == serviceData, "\(id)") }
    if let manufacturerData { #expect(read.manufacturerData == manufacturerData, "\(id)") }
    if let uris { #expect(read.uris == uris, "\(id)") }
  }
}

/// What payloads of one device say, put together as the vectors put it: UUIDs once each and in full form, a complete
/// name before a shortened one, of two values with one key the later one.
struct ReadFields {
  var flags: UInt8?
  var name: (text: String, isComplete: Bool)?
  var txPower: Int8?
  var appearance: UInt16?
  var services: [String] = []
  var solicitations: [String] = []
  var serviceData: [String: String] = [:]
  var manufacturerData: [String: String] = [:]
  var uris: [String] = []

  init(_ readings: [PayloadReading]) {
    for structure in readings.flatMap(\.structures) {
      guard let value = structure.value else { continue }
      add(value, type: structure.type)
    }
  }

  private mutating func add(_ value: ReadValue, type: UInt8) {
    switch value {
    case .flags(let byte): flags = byte
    case .name(let bytes, let isComplete): setName(bytes, isComplete: isComplete)
    case .txPowerLevel(let level): txPower = level
    case .appearance(let code): appearance = code
    case .services(let list): Self.append(list, to: &services)
    case .solicitations(let list): Self.append(list, to: &solicitations)
    case .serviceData(let key, let data): serviceData[text(key)] = hexText(data)
    case .manufacturerData(let company, let data):
      manufacturerData["0x" + hexText([UInt8(company >> 8), UInt8(company & 0xFF)])] = hexText(data)
    case .other(let data):
      // URIs are carried, not read: their scheme is a code point of its own (Assigned Numbers, 2.7).
      if type == 0x24, data.first == 0x17 {
        uris.append("https:" + String(decoding: data.dropFirst(), as: UTF8.self))
      }
    }
  }

  private mutating func setName(_ bytes: [UInt8], isComplete: Bool) {
    guard !(name?.isComplete ?? false) else { return }
    name = (String(decoding: bytes, as: UTF8.self), isComplete)
  }

  private static func append(_ list: [BluetoothUUID], to texts: inout [String]) {
    for uuid in list where !texts.contains(text(uuid)) { texts.append(text(uuid)) }
  }
}
