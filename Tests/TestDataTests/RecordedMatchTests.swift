// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import TestSupport
import Testing

/// One line of `advertisements.jsonl`, as far as it is about matching.
private struct RecordedAdvertisement: Decodable {
  let id: String
  let fields: RecordedFields

  enum CodingKeys: CodingKey { case id }

  init(from decoder: any Decoder) throws {
    id = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .id)
    fields = try RecordedFields(from: decoder)
  }
}

/// One line of `hci-events.jsonl`, likewise.
private struct RecordedEvent: Decodable {
  struct Expected: Decodable { let reports: [Report] }
  struct Report: Decodable { let ad: RecordedFields }

  let id: String
  let hciHex: String
  let expected: Expected
}

/// Descriptors made of what is known about a recorded advertisement find it when it comes through the data path;
/// with one bit flipped under the mask they do not.
@Suite(
  "Descriptors of recorded advertisements",
  .enabled(if: TestData.isPresent, Comment(rawValue: TestData.absence)))
struct RecordedMatchTests {
  private struct Counts: Equatable {
    var records = 0
    var holding: [String: Int] = [:]
    var missing = 0
  }

  private func check(_ fields: RecordedFields, _ sendings: [Sending], id: String, _ counts: inout Counts) {
    let derived = DerivedDescriptor.all(of: fields)
    counts.records += derived.isEmpty ? 0 : 1
    for descriptor in derived {
      counts.holding[descriptor.label, default: 0] += 1
      counts.missing += descriptor.missing.count
      for sending in sendings {
        let isFound = holds(descriptor.holding, sending)
        #expect(isFound, "\(id), \(descriptor.label), \(sending.form)")
      }
      let isMissed = misses(descriptor.missing, sendings[0])
      #expect(isMissed, "\(id), \(descriptor.label)")
    }
  }

  /// Whether every one of the descriptors finds the device: eight at a time, for a device keeps no more matches.
  private func holds(_ descriptors: [DiscoveryDescriptor], _ sending: Sending) -> Bool {
    stride(from: 0, to: descriptors.count, by: 8).allSatisfy { start in
      let slice = Array(descriptors[start..<min(start + 8, descriptors.count)])
      var path = ManifestDataPath(GatewayManifest(slice))
      return sending.found(by: &path) == slice.count
    }
  }

  private func misses(_ descriptors: [DiscoveryDescriptor], _ sending: Sending) -> Bool {
    guard !descriptors.isEmpty else { return true }
    var path = ManifestDataPath(GatewayManifest(descriptors))
    return sending.found(by: &path) == 0
  }

  @Test("Advertisements are found by their own fields and missed by others")
  func advertisements() throws {
    var counts = Counts()
    for record in try TestData.records("advertisements.jsonl", as: RecordedAdvertisement.self) {
      var fields = record.fields
      // Bytes that do not hold the fields beside them: the fields are sent instead.
      if AdvertisementTests.fieldsFromElsewhere[record.id] != nil { fields.rawAdHex = nil }
      let sendings = Sending.all(of: fields)
      #expect(!sendings.isEmpty, "\(record.id)")
      check(fields, sendings, id: record.id, &counts)
    }
    // Two have neither a company nor a service.
    let holding = [
      "company": 775, "manufacturer data": 773, "service": 510, "service data": 374, "name": 289,
    ]
    #expect(counts == Counts(records: 734, holding: holding, missing: 36_720))
  }

  @Test("Recorded events are found by their reports' fields and missed by others")
  func events() throws {
    var counts = Counts()
    for record in try TestData.records("hci-events.jsonl", as: RecordedEvent.self) {
      let sending = Sending(form: "as recorded", packets: [hex(record.hciHex)])
      for report in record.expected.reports { check(report.ad, [sending], id: record.id, &counts) }
    }
    let holding = ["company": 142, "manufacturer data": 142, "service": 158, "service data": 117, "name": 36]
    #expect(counts == Counts(records: 264, holding: holding, missing: 10_132))
  }
}
