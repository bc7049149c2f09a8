// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

/// One line of `eir-vectors.jsonl`.
struct EIRVector: Decodable {
  let id: String
  let rawHex: String
  let partsHex: [String]?
  let expected: AdvertisedFields
  let policy: String?

  var payloads: [[UInt8]] { (partsHex ?? [rawHex]).map(hex) }
}

@Suite("AD vectors", .enabled(if: TestData.isPresent, Comment(rawValue: TestData.absence)))
struct EIRVectorTests {
  let vectors: [EIRVector]

  init() throws {
    vectors = try TestData.records("eir-vectors.jsonl", as: EIRVector.self)
  }

  @Test("All of them are there, and seven on which stacks differ")
  func count() {
    #expect(vectors.count == 59)
    #expect(vectors.count { $0.policy != nil } == 7)
  }

  /// Where stacks differ, this project's:
  /// - `zero-length-structure`: the payload ends there, as the Core Specification says;
  /// - `empty-value`: a name of no bytes is a name, and is empty;
  /// - `duplicate-uuids-removed`: a list is given as it stands (this test folds it, as all vectors' lists are).
  @Test("The fields are as expected, but where stacks differ and we chose otherwise")
  func fields() {
    for vector in vectors where !["zero-length-structure", "empty-value"].contains(vector.policy) {
      vector.expected.check(vector.payloads.map { PayloadReading($0) }, id: vector.id)
    }
  }

  @Test("A zero length ends the payload, and what follows is counted as lost")
  func zeroLength() throws {
    let concerned = vectors.filter { $0.policy == "zero-length-structure" }
    #expect(concerned.count == 2)
    for vector in concerned {
      let reading = PayloadReading(try #require(vector.payloads.first))
      #expect(reading.malformations.map(\.kind) == [.dataAfterEnd], "\(vector.id)")
      let read = ReadFields([reading])
      #expect(
        read.manufacturerData.count == 1 && read.manufacturerData == manufacturerDataBeforeTheEnd[vector.id])
      #expect(read.services == [] && read.serviceData == [:], "\(vector.id)")
    }
  }

  /// In the first vector the zero is the length byte where the lenient parser continues; its manufacturer data is
  /// the same to both.
  var manufacturerDataBeforeTheEnd: [String: [String: String]] {
    [
      "bluetooth-data-tools-eir-advertisement-data-zero-padded": ["0x0969": "fa620fcf2df2da0f002204"],
      "bluetooth-data-tools-eir-advertisement-data-zero-padded-scan-included": ["0x0059": "fe02349ea6ba"],
    ]
  }

  @Test("A name of no bytes is an empty name")
  func emptyValue() throws {
    let vector = try #require(vectors.first { $0.policy == "empty-value" })
    let reading = PayloadReading(try #require(vector.payloads.first))
    #expect(reading.values == [.name([], isComplete: false)])
    #expect(reading.malformations == [])
  }
}
