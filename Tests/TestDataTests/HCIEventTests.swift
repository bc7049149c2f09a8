// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

/// One line of `hci-events.jsonl`.
struct EventVector: Decodable {
  struct Expected: Decodable {
    let plen: Int
    let actualLen: Int
    let subevent: UInt8
    let numReports: Int
    let reports: [Report]
    let trailing: Int?
    let truncated: Bool?
  }

  struct Report: Decodable {
    let eventType: UInt16
    let addressType: UInt8
    let address: String
    let dataLen: Int
    let dataHex: String
    let rssi: Int8
    let legacy: Bool?
    let connectable: Bool?
    let scannable: Bool?
    let directed: Bool?
    let scanResponse: Bool?
    let dataStatus: UInt8?
    let primaryPhy: UInt8?
    let secondaryPhy: UInt8?
    let sid: UInt8?
    let txPower: Int8?
    let periodicInterval: UInt16?
    let ad: AdvertisedFields?
  }

  let id: String
  let hciHex: String
  let expected: Expected
}

@Suite("Recorded HCI events", .enabled(if: TestData.isPresent, Comment(rawValue: TestData.absence)))
struct HCIEventTests {
  let vectors: [EventVector]

  init() throws {
    vectors = try TestData.records("hci-events.jsonl", as: EventVector.self)
  }

  @Test("All of them are there")
  func count() {
    #expect(vectors.count == 291)
    #expect(vectors.reduce(0) { $0 + $1.expected.reports.count } == 290)
  }

  @Test("Header, reports and what follows them are as expected")
  func headers() {
    for vector in vectors {
      let packet = hex(vector.hciHex)
      let reading = EventReading(packet)
      let expected = vector.expected
      #expect(reading.code == Event.leMeta, "\(vector.id)")
      #expect(Int(packet[2]) == expected.plen, "\(vector.id)")
      #expect(reading.eventTrailingByteCount == expected.actualLen - expected.plen, "\(vector.id)")
      #expect(reading.format?.rawValue == expected.subevent, "\(vector.id)")
      #expect(reading.announced == expected.numReports, "\(vector.id)")
      #expect(reading.reports.count == expected.reports.count, "\(vector.id)")
      if let trailing = expected.trailing { #expect(reading.trailingByteCount == trailing, "\(vector.id)") }
      let isCut = expected.truncated == true
      #expect(reading.errors == (isCut ? [.truncated(index: 0)] : []), "\(vector.id)")
    }
  }

  @Test("Every field of every report is as expected")
  func reports() {
    for vector in vectors {
      let read = EventReading(hex(vector.hciHex)).reports
      for (report, expected) in zip(read, vector.expected.reports) {
        let header = report.header
        #expect(text(header.address) == expected.address.lowercased(), "\(vector.id)")
        #expect(header.address.type.rawValue == expected.addressType, "\(vector.id)")
        #expect(header.rssi == expected.rssi, "\(vector.id)")
        #expect(hexText(report.data) == expected.dataHex, "\(vector.id)")
        #expect(report.data.count == expected.dataLen, "\(vector.id)")
        if header.properties.contains(.extendedEvent) {
          checkExtended(header, expected, vector.id)
        } else {
          #expect(UInt16(header.pdu.rawValue) == expected.eventType, "\(vector.id)")
        }
      }
    }
  }

  func checkExtended(_ header: ReportHeader, _ expected: EventVector.Report, _ id: String) {
    let properties = header.properties
    #expect(UInt16(properties.rawValue & 0x1F) == expected.eventType & 0x1F, "\(id)")
    #expect(properties.contains(.legacyPDU) == expected.legacy, "\(id)")
    #expect(properties.contains(.connectable) == expected.connectable, "\(id)")
    #expect(properties.contains(.scannable) == expected.scannable, "\(id)")
    #expect(properties.contains(.directed) == expected.directed, "\(id)")
    #expect(properties.contains(.scanResponse) == expected.scanResponse, "\(id)")
    #expect(header.dataStatus.rawValue == expected.dataStatus, "\(id)")
    #expect(header.primaryPHY.rawValue == expected.primaryPhy, "\(id)")
    #expect(header.secondaryPHY?.rawValue ?? 0 == expected.secondaryPhy, "\(id)")
    #expect(header.advertisingSID == expected.sid, "\(id)")
    #expect(header.txPower == expected.txPower, "\(id)")
    #expect(header.periodicInterval == expected.periodicInterval, "\(id)")
    #expect(header.directAddress == nil, "\(id)")
  }

  @Test("The AD structures of every report are as expected")
  func structures() {
    for vector in vectors {
      let read = EventReading(hex(vector.hciHex)).reports
      for (report, expected) in zip(read, vector.expected.reports) {
        guard let fields = expected.ad else { continue }
        let reading = PayloadReading(report.data)
        fields.check(reading, id: vector.id)
        #expect(reading.structures.map(\.type) == fields.adTypes, "\(vector.id)")
        let isTruncated = reading.malformations.contains { $0.kind == .lengthPastEnd }
        #expect(isTruncated == (fields.malformed != nil), "\(vector.id)")
      }
    }
  }
}
