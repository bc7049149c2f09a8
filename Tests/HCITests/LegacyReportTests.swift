// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("Legacy advertising reports")
struct LegacyReportTests {
  func outcome(_ change: (inout LegacyReportLayout) -> Void) -> ReportOutcome? {
    var layout = LegacyReportLayout()
    change(&layout)
    return EventReading(reportEvent(0x02, [layout.bytes])).outcomes.first
  }

  @Test("A report gives its advertiser, its PDU, its data and its strength")
  func whole() throws {
    let reading = EventReading(Packets.legacy.bytes)
    let report = try #require(reading.reports.first)
    #expect(
      reading.outcomes.count == 1 && reading.eventTrailingByteCount == 0 && reading.trailingByteCount == 0)
    #expect(report.header.address == DeviceAddress(bits: 0xC122_3344_5566, type: .random))
    #expect(report.header.pdu == .connectable)
    #expect(report.header.rssi == -60 && report.header.hasReading)
    #expect(report.data == hex("020106 03030FFE 07FFEE0EA55A0010 05094C756D6F"))
  }

  @Test("What only extended reports say is absent")
  func absences() throws {
    let header = try #require(EventReading(Packets.legacy.bytes).reports.first).header
    #expect(header.dataStatus == .complete && header.primaryPHY == .le1M && header.secondaryPHY == nil)
    #expect(
      header.advertisingSID == ReportHeader.noAdvertisingSID && header.txPower == ReportHeader.noTxPower)
    #expect(header.directAddress == nil && header.periodicInterval == 0)
    #expect(!header.properties.contains(.extendedEvent) && !header.properties.contains(.legacyPDU))
  }

  @Test(
    "Each event type is a PDU with its properties",
    arguments: [
      (0, AdvertisingPDU.connectable, ReportHeader.Properties.connectable.union(.scannable)),
      (1, .directed, .connectable.union(.directed)),
      (2, .scannable, .scannable),
      (3, .nonConnectable, ReportHeader.Properties(rawValue: 0)),
      (4, .scanResponse, .scannable.union(.scanResponse)),
    ] as [(UInt8, AdvertisingPDU, ReportHeader.Properties)])
  func eventTypes(eventType: UInt8, pdu: AdvertisingPDU, properties: ReportHeader.Properties) throws {
    let header = try #require(outcome { $0.eventType = eventType }?.report).header
    #expect(header.pdu == pdu)
    #expect(header.properties == properties)
  }

  @Test("Any other event type costs the report")
  func reservedEventTypes() {
    for eventType: UInt8 in 5...255 {
      #expect(outcome { $0.eventType = eventType }?.error == .reserved(index: 0, field: .eventType))
    }
  }

  @Test("Address types are the four of the specification; any other costs the report")
  func addressTypes() {
    for type in UInt8.min...UInt8.max {
      let outcome = outcome { $0.addressType = type }
      if type < 4 {
        #expect(outcome?.report?.header.address.type == AddressType(rawValue: type))
      } else {
        #expect(outcome?.error == .reserved(index: 0, field: .addressType))
      }
    }
  }

  @Test("A strength outside -127...20 is not a reading")
  func strengths() {
    for rssi in Int8.min...Int8.max {
      let header = outcome { $0.rssi = rssi }?.report?.header
      #expect(header?.rssi == rssi)
      #expect(header?.hasReading == (-127...20).contains(rssi))
    }
  }

  @Test("More data than a legacy PDU can carry is taken as it stands")
  func longData() {
    let data = [UInt8](repeating: 0xAB, count: 200)
    #expect(outcome { $0.data = data }?.report?.data == data)
  }
}
