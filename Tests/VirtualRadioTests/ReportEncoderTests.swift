// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

@Suite struct ReportEncoderTests {
  private let payload = AdvertisingPayload().flags(0x06).name("Lumo")

  @Test func aLegacyReportIsLaidOutAsTheSpecificationSays() {
    let report = AirReport(
      .connectable, from: .bulb, rssi: -60, AdvertisingPayload().flags(0x06))
    #expect(
      ReportEncoder.event(.legacy, report) == [
        0x04, 0x3E, 15,  // H4 event, LE Meta, parameter length
        0x02, 1,  // LE Advertising Report, one report
        0, 1, 0x9A, 0x78, 0x56, 0x34, 0x12, 0xC4,  // ADV_IND, random address
        3, 2, 0x01, 0x06,  // data
        0xC4,  // -60 dBm
      ])
  }

  @Test func severalLegacyReportsInOneEventRoundTrip() throws {
    let sent = [
      AirReport(.connectable, from: .bulb, rssi: -60, payload),
      AirReport(.scanResponse, from: .bulb, rssi: -61, AdvertisingPayload().name("Lumo E27")),
      AirReport(.scannable, from: .phone, rssi: 127, AdvertisingPayload()),
      AirReport(.nonConnectable, from: DeviceAddress(bits: 5, type: .public), rssi: 20, payload),
    ]
    let read = try #require(reports(in: ReportEncoder.event(.legacy, sent)))
    #expect(read.format == .legacy)
    #expect(read.reports == sent)
  }

  @Test func directedReportsRoundTripInTheirOwnEventAndInExtendedOnes() throws {
    let sent = AirReport(directedTo: .phone, from: .bulb, rssi: -70)
    let read = try #require(reports(in: ReportEncoder.event(.directed, sent)))
    #expect(read.format == .directed && read.reports == [sent])
    var unresolved = sent.asExtended
    unresolved.header.properties.insert(.unresolvedTarget)
    let extended = try #require(reports(in: ReportEncoder.event(.extended, unresolved)))
    #expect(extended.reports == [unresolved])
  }

  @Test(arguments: [AdvertisingPDU.connectable, .scannable, .nonConnectable])
  func legacyPDUsInExtendedEventsRoundTrip(pdu: AdvertisingPDU) throws {
    let sent = AirReport(pdu, from: .bulb, rssi: -50, payload).asExtended
    let read = try #require(reports(in: ReportEncoder.event(.extended, sent)))
    #expect(read.reports == [sent])
  }

  @Test func extendedReportsOfEveryPHYAndWithoutAddressRoundTrip() throws {
    for (primary, secondary) in [(PHY.le1M, PHY?.none), (.le1M, .le1M), (.le1M, .le2M), (.coded, .coded)] {
      var sent = AirReport(
        extendedFrom: .anonymous, set: 15, properties: .connectable, primary: primary, secondary: secondary,
        txPower: -4, rssi: -90, payload)
      sent.header.periodicInterval = 0x0320
      let read = try #require(reports(in: ReportEncoder.event(.extended, sent)))
      #expect(read.reports == [sent])
    }
  }

  @Test(arguments: [(229, 1), (230, 2), (458, 2), (1650, 8)])
  func longDataBecomesAChainThatEndsAsTheReportDoes(byteCount: Int, fragmentCount: Int) throws {
    let long = AdvertisingPayload(raw: (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) })
    var report = AirReport(
      extendedFrom: .bulb, set: 1, properties: ReportHeader.Properties(rawValue: 0), long)
    report.header.dataStatus = .truncated
    let chain = try ReportEncoder.chain(report).map { try #require(reports(in: $0)).reports[0] }
    #expect(chain.count == fragmentCount)
    #expect(chain.flatMap(\.data) == long.bytes)
    #expect(chain.dropLast().allSatisfy { $0.header.dataStatus == .incomplete })
    #expect(chain.last?.header.dataStatus == .truncated)
  }

  @Test func theSizeOfAnEventIsKnownInAdvance() {
    let pair = [
      AirReport(.connectable, from: .bulb, payload), AirReport(directedTo: .phone, from: .bulb),
    ]
    #expect(ReportEncoder.event(.legacy, pair).count == 3 + ReportEncoder.eventByteCount(.legacy, pair))
    let extended = pair.map(\.asExtended)
    #expect(
      ReportEncoder.event(.extended, extended).count
        == 3 + ReportEncoder.eventByteCount(.extended, extended))
  }
}
