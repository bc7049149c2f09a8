// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import ManifestFormat
import TestSupport
import Testing

/// One line of `matchers.jsonl`: how a home automation system recognises a kind of device.
struct ListedMatcher: Decodable {
  let id: String
  /// A pattern that the whole name must match; a star at its end stands for any text.
  let localName: String?
  let serviceUuid: String?
  let serviceDataUuid: String?
  let manufacturerId: UInt16?
  let manufacturerDataStart: [UInt8]?

  /// The name, or how it begins: an exact name becomes a prefix.
  var namePrefix: String? { localName.map { String($0.hasSuffix("*") ? $0.dropLast() : $0[...]) } }

  /// A descriptor has one service UUID.
  var isExpressible: Bool { serviceUuid == nil || serviceDataUuid == nil || serviceUuid == serviceDataUuid }

  /// The lines of the descriptor.
  var clauses: [String] {
    var clauses: [String] = []
    if let manufacturerId { clauses.append("bluetooth-company-identifier = \(manufacturerId)") }
    if let start = manufacturerDataStart {
      clauses.append("bluetooth-manufacturer-data-blob = \"\(digits(start))\"")
    }
    if let uuid = serviceUuid ?? serviceDataUuid { clauses.append("bluetooth-service-uuid = \"\(uuid)\"") }
    if let namePrefix { clauses.append("bluetooth-name-prefix = \"\(namePrefix)\"") }
    return clauses
  }

  /// What a device advertises that the matcher is for, with readings after what is fixed.
  var advertisement: RecordedFields {
    var fields = RecordedFields()
    fields.name = namePrefix.map { localName == $0 ? $0 : $0 + "4F2A" }
    if let manufacturerId {
      let key = "0x" + digits([UInt8(manufacturerId >> 8), UInt8(truncatingIfNeeded: manufacturerId)])
      fields.manufacturerData = [key: digits((manufacturerDataStart ?? []) + [0x07, 0xD0])]
    }
    fields.serviceData = serviceDataUuid.map { [$0: "07d0"] }
    fields.serviceUuids = serviceUuid.map { [$0] }
    return fields
  }

  private func digits(_ bytes: [UInt8]) -> String {
    bytes.map { Hex.digits(UInt64($0), count: 2) }.joined()
  }
}

extension ManifestText {
  /// One item for each matcher.
  init(_ matchers: [ListedMatcher]) {
    items = matchers.map(\.clauses)
    companies = Set(matchers.compactMap { $0.manufacturerId.map(String.init) })
    services = Set(matchers.compactMap { $0.serviceUuid ?? $0.serviceDataUuid }.map { "\"\($0)\"" })
    names = Set(matchers.compactMap(\.namePrefix).map { "\"\($0)\"" })
  }
}

@Suite(
  "The list of a home automation system",
  .enabled(if: TestData.isPresent, Comment(rawValue: TestData.absence)))
struct ListedMatchersTests {
  let matchers: [ListedMatcher]
  let manifest: GatewayManifest

  init() throws {
    matchers = try TestData.records("matchers.jsonl", as: ListedMatcher.self).filter(\.isExpressible)
    let text = ManifestText(matchers).text
    let reading = ManifestReader.read(text: Array(text.utf8), fileName: "matchers.toml")
    manifest = try #require(reading.manifest, "\(reading.lines)")
  }

  @Test("Every matcher is an item, but for those with two different services")
  func items() throws {
    let all = try TestData.records("matchers.jsonl", as: ListedMatcher.self)
    #expect(all.count == 109)
    #expect(all.filter { !$0.isExpressible }.map(\.id) == ["ha-039-improv_ble"])
    #expect(manifest.apps[0].items.count == 108)
    #expect(all.allSatisfy { $0.namePrefix?.contains("*") != true })
  }

  @Test("What a device of each matcher advertises is found by its item, however it is sent")
  func advertisements() throws {
    for (index, matcher) in matchers.enumerated() {
      let sendings = Sending.all(of: matcher.advertisement)
      #expect(!sendings.isEmpty, "\(matcher.id)")
      for sending in sendings {
        var path = ManifestDataPath(manifest)
        #expect(sending.found(by: &path) > 0, "\(matcher.id), \(sending.form)")
        #expect(Self.itemsFound(by: path).contains(index), "\(matcher.id), \(sending.form)")
      }
    }
  }

  @Test("A device of none of them is not found")
  func others() {
    var fields = RecordedFields()
    fields.name = "Nobody's"
    fields.manufacturerData = ["0x0eee": "0215"]
    for sending in Sending.all(of: fields) {
      var path = ManifestDataPath(manifest)
      #expect(sending.found(by: &path) == 0, "\(sending.form)")
    }
  }

  private static func itemsFound(by path: borrowing ManifestDataPath) -> [Int] {
    var items: [Int] = []
    for row in 0..<path.pipeline.rowCount {
      guard let device = path.pipeline.device(at: row) else { continue }
      for slot in 0..<Int(device.matchCount) { items.append(Int(path.pipeline.match(slot, at: row).item)) }
    }
    return items
  }
}
