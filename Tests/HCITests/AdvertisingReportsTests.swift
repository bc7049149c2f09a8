// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("Reports of one event")
struct AdvertisingReportsTests {
  @Test("All reports are read, in order", arguments: Packets.reports)
  func all(fixture: Fixture) {
    let reading = EventReading(fixture.bytes)
    #expect(reading.reports.count == reading.announced && reading.errors == [])
    #expect(reading.eventTrailingByteCount == 0 && reading.trailingByteCount == 0)
  }

  @Test("Three advertisers in one event keep their own data and strength")
  func three() {
    let reports = EventReading(Packets.legacyThree.bytes).reports
    #expect(reports.map(\.header.pdu) == [.nonConnectable, .scanResponse, .scannable])
    #expect(reports.map(\.header.rssi) == [-80, -55, 127])
    #expect(reports.map(\.data.count) == [6, 11, 0])
    #expect(reports.map(\.header.address.type) == [.public, .random, .randomIdentity])
  }

  @Test("A reserved value in the middle costs only its own report")
  func badMiddle() {
    var layouts = [LegacyReportLayout(), LegacyReportLayout(), LegacyReportLayout()]
    layouts[0].data = [1, 2, 3]
    layouts[1].eventType = 9
    layouts[1].data = [4, 5, 6]
    layouts[2].rssi = -42
    let reading = EventReading(reportEvent(0x02, layouts.map(\.bytes)))
    #expect(reading.errors == [.reserved(index: 1, field: .eventType)])
    #expect(reading.reports.map(\.data) == [[1, 2, 3], []])
    #expect(reading.reports.last?.header.rssi == -42)
    #expect(reading.trailingByteCount == 0)
  }

  @Test("The same holds for extended and directed reports")
  func badMiddleOfOthers() {
    var extended = [ExtendedReportLayout(), ExtendedReportLayout(), ExtendedReportLayout()]
    extended[1].primaryPHY = 2
    extended[1].data = [7, 8]
    let first = EventReading(reportEvent(0x0D, extended.map(\.bytes)))
    #expect(first.errors == [.reserved(index: 1, field: .primaryPHY)] && first.reports.count == 2)
    var directed = [DirectedReportLayout(), DirectedReportLayout(), DirectedReportLayout()]
    directed[1].directAddressType = 0xFF
    let second = EventReading(reportEvent(0x0B, directed.map(\.bytes)))
    #expect(second.errors == [.reserved(index: 1, field: .addressType)] && second.reports.count == 2)
  }

  @Test("A truncation costs the report it falls into and those after it", arguments: Packets.reports)
  func cuts(fixture: Fixture) {
    let whole = EventReading(fixture.bytes)
    let ends = reportEnds(of: whole)
    withEveryPrefix(of: fixture.bytes) { packet, damage in
      let reading = EventReading(packet)
      guard packet.count > 3 else {
        #expect(reading.outcomes == [], "\(damage)")
        return
      }
      let intact = ends.count { $0 <= packet.count }
      #expect(
        reading.outcomes == whole.outcomes.prefix(intact) + [.error(.truncated(index: intact))], "\(damage)")
    }
  }

  @Test("An event without even a count is one cut report")
  func noCount() {
    let reading = EventReading(hex("04 3E 01 02"))
    #expect(reading.outcomes == [.error(.truncated(index: 0))])
  }

  @Test("A length that reaches past the event costs the rest of it")
  func lengthPastEnd() {
    var bytes = Packets.legacyThree.bytes
    let lengthOfSecond = 5 + 9 + 6 + 1 + 8
    bytes[lengthOfSecond] = 200
    let reading = EventReading(bytes)
    #expect(reading.reports.count == 1)
    #expect(reading.errors == [.truncated(index: 1)])
  }

  @Test("Reports that end before a flipped bit are what they were", arguments: Packets.reports)
  func bitFlips(fixture: Fixture) {
    let whole = EventReading(fixture.bytes)
    let ends = reportEnds(of: whole)
    withEveryBitFlip(of: fixture.bytes) { packet, damage in
      let reading = EventReading(packet)
      #expect(reading.steps <= min(reading.announced, packet.count / 10) + 2, "\(damage)")
      guard damage.offset >= 5 else { return }
      let intact = ends.count { $0 <= damage.offset }
      #expect(reading.outcomes.prefix(intact) == whole.outcomes.prefix(intact), "\(damage)")
    }
  }

  @Test("A count larger than the event can hold ends at the first report that is not there")
  func countTooLarge() {
    var bytes = Packets.legacyThree.bytes
    bytes[4] = 255
    let reading = EventReading(bytes)
    #expect(reading.reports.count == 3)
    #expect(reading.errors == [.truncated(index: 3)])
    #expect(reading.steps == 5)
  }

  @Test("A count smaller than the event holds leaves trailing bytes, which are counted")
  func countTooSmall() {
    var bytes = Packets.legacyThree.bytes
    bytes[4] = 1
    let reading = EventReading(bytes)
    #expect(reading.reports.count == 1 && reading.errors == [])
    #expect(reading.trailingByteCount == 21 + 10)
  }

  @Test("An event of no reports has none")
  func none() {
    let reading = EventReading(hex("04 3E 02 02 00"))
    #expect(reading.outcomes == [] && reading.steps == 1)
  }

  /// Where each report ends in the packet it was read from.
  func reportEnds(of reading: EventReading) -> [Int] {
    var end = 5
    return reading.reports.map { report in
      switch reading.format {
      case .legacy: end += 10 + report.data.count
      case .directed: end += 16
      case .extended: end += 24 + report.data.count
      case nil: break
      }
      return end
    }
  }
}
