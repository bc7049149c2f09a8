// SPDX-License-Identifier: GPL-3.0-or-later

import Captures
import HCI
import TestSupport
import Testing

@Suite("Recorded captures", .enabled(if: TestData.isPresent, Comment(rawValue: TestData.absence)))
struct CaptureTests {
  struct Capture: Sendable, CustomStringConvertible {
    let name: String
    let reportCount: Int
    let advertiserCount: Int

    var description: String { name }
    var path: String { TestData.path("captures/" + name) }
    func reading() throws -> CaptureReading { CaptureReading(try TestData.bytes("captures/" + name)) }
  }

  static let captures = [
    Capture(name: "legacy-busy.btsnoop", reportCount: 5000, advertiserCount: 32),
    Capture(name: "extended.btsnoop", reportCount: 557, advertiserCount: 18),
  ]

  @Test("Every record is read to the end of the file", arguments: captures)
  func complete(capture: Capture) throws {
    let reading = try capture.reading()
    #expect(reading.datalink == .h4 && reading.error == nil)
    for record in reading.records {
      let packet = try #require(record.packet)
      #expect(try StreamFrame(measuring: packet.rawSpan) == .packet(byteCount: packet.count))
      #expect(record.originalByteCount == record.payload.count)
    }
  }

  @Test("Every report is read, and none is malformed", arguments: captures)
  func reports(capture: Capture) throws {
    let events = try capture.reading().records.compactMap(\.packet).map(EventReading.init)
    #expect(events.flatMap(\.errors) == [])
    #expect(events.allSatisfy { $0.format == nil || $0.trailingByteCount == 0 })
    let counts = reportCounts(events)
    #expect(counts.values.reduce(0, +) == capture.reportCount)
    #expect(counts.count == capture.advertiserCount)
  }

  @Test(
    "tshark counts the same reports per address",
    .enabled(if: TsharkDecoder.tshark != nil, "tshark is not installed"), arguments: captures)
  func tshark(capture: Capture) throws {
    let tshark = try #require(TsharkDecoder.tshark)
    let events = try capture.reading().records.compactMap(\.packet).map(EventReading.init)
    #expect(try tshark.reportCounts(of: capture.path) == reportCounts(events))
  }

  @Test("Written out again, a capture is the same file", arguments: captures)
  func roundTrip(capture: Capture) throws {
    let file = try TestData.bytes("captures/" + capture.name)
    let records = CaptureReading(file).records.map { record in
      let packet = record.packet ?? []
      return Btsnoop.recordHeader(
        byteCount: packet.count, flags: record.flags, cumulativeDrops: record.cumulativeDrops,
        time: record.time
      ).bytes + packet
    }
    #expect(Captures.file(.h4, records) == file)
  }

  /// A whole capture would take millions of readings: the events of every hundredth record are damaged.
  @Test("Sampled events survive every cut and every flipped bit", arguments: captures)
  func damage(capture: Capture) throws {
    let packets = try capture.reading().records.compactMap(\.packet).filter { $0.count > 8 }
    for (index, packet) in packets.enumerated() where index % 100 == 0 {
      withEveryDamage(of: packet) { damaged, damage in
        let reading = EventReading(damaged)
        #expect(reading.steps <= damaged.count / 10 + 2, "record \(index), \(damage)")
      }
    }
  }

  @Test("The first records survive every cut and every flipped bit of their file", arguments: captures)
  func fileDamage(capture: Capture) throws {
    let whole = try capture.reading()
    let file = try TestData.bytes("captures/" + capture.name).prefix(whole.records[20].offset)
    let ends = whole.records[1...20].map(\.offset)
    withEveryDamage(of: Array(file)) { damaged, damage in
      let reading = CaptureReading(damaged)
      let intact = damage.offset < 16 ? 0 : ends.count { $0 <= damage.offset }
      #expect(reading.records.prefix(intact) == whole.records.prefix(intact), "\(damage)")
      #expect(reading.steps <= damaged.count / 24 + 1, "\(damage)")
    }
  }

  func reportCounts(_ events: [EventReading]) -> [String: Int] {
    var counts: [String: Int] = [:]
    for report in events.flatMap(\.reports) { counts[text(report.header.address), default: 0] += 1 }
    return counts
  }
}
