// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

/// The short way to the one report of an event finds what the long way finds, or leaves the event to it.
@Suite("Events with one report")
struct LoneReportTests {
  private struct Read: Equatable {
    let header: ReportHeader
    let data: [UInt8]

    init(_ report: borrowing AdvertisingReport) {
      header = report.header
      data = (0..<report.data.byteCount).map { report.data.uint8(at: $0) }
    }
  }

  /// As the short way reads it.
  private func lone(_ bytes: [UInt8]) -> Read? {
    let event = bytes.span.rawBytes
    switch AdvertisingReport.loneFormat(event) {
    case .legacy:
      guard let report = AdvertisingReport(loneLegacy: event) else { return nil }
      return Read(report)
    case .extended:
      guard let report = AdvertisingReport(loneExtended: event) else { return nil }
      return Read(report)
    case .directed, nil: return nil
    }
  }

  /// As the long way reads it; nil unless it is the only report of an event without other bytes.
  private func only(_ bytes: [UInt8]) -> Read? {
    guard let event = try? Event(parsing: bytes.span.rawBytes), event.trailingByteCount == 0,
      var reports = AdvertisingReports(event), reports.count == 1, let report = try? reports.next(),
      reports.trailingByteCount == 0
    else { return nil }
    return Read(report)
  }

  private static func event(_ generator: inout SeededGenerator) -> [UInt8] {
    let count = generator.number(below: 32)
    let data = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    let address = (0..<6).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    let type = UInt8(generator.number(below: 5))
    var report: [UInt8]
    if generator.chance(perMille: 500) {
      report = [2, 1, UInt8(generator.number(below: 6)), type] + address + [UInt8(count)] + data + [0xC4]
    } else {
      let kinds: [UInt8] = [0x13, 0x12, 0x10, 0x1B, 0x1A, 0x15, 0x00, 0x01, 0x09, 0x20, 0x40, 0x14]
      report = [0x0D, 1, kinds[generator.number(below: kinds.count)], 0, type] + address
      report += [UInt8(1 + generator.number(below: 3)), UInt8(generator.number(below: 4))]
      report += [generator.chance(perMille: 500) ? 0xFF : UInt8(generator.number(below: 18)), 0x7F, 0xC4]
      report += [0, 0, 0] + address + [UInt8(count)] + data
    }
    var bytes = [0x3E, UInt8(report.count)] + report
    // Other lengths, counts and values.
    if generator.chance(perMille: 300) {
      bytes[generator.number(below: bytes.count)] = UInt8(truncatingIfNeeded: generator.next())
    }
    if generator.chance(perMille: 100) { bytes.removeLast(1 + generator.number(below: bytes.count)) }
    if generator.chance(perMille: 100) { bytes.append(0) }
    return bytes
  }

  @Test("Twenty thousand events, whole and damaged, say the same both ways")
  func sameBothWays() {
    var generator = SeededGenerator(seed: 1)
    var found = 0
    for _ in 0..<20_000 {
      let bytes = Self.event(&generator)
      guard let short = lone(bytes) else { continue }
      found += 1
      let long = only(bytes)
      #expect(short == long, "\(bytes)")
    }
    #expect(found > 5_000)
  }

  @Test("What comes all the time goes the short way", arguments: [ReportFormat.legacy, .extended])
  func frequentReports(format: ReportFormat) {
    for pdu in [AdvertisingPDU.connectable, .scannable, .nonConnectable, .scanResponse] {
      let address = DeviceAddress(bits: 0xC4A1_0203_0405, type: .random)
      let report = AirReport(pdu, from: address, rssi: -60, AdvertisingPayload().flags(6).name("Lumo"))
      let event = Array(ReportEncoder.event(format, report).dropFirst())
      #expect(lone(event) != nil)
      let short = lone(event)
      #expect(short == only(event))
    }
  }
}
