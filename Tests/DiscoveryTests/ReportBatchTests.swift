// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VarlinkClient
import VirtualRadio

/// The records of reports, from the packets to what readers read.
@Suite("Batches of reports")
struct ReportBatchTests {
  private let company: UInt16 = 0x0EEE

  /// What a stream that wants everything has after some reports.
  private func records(
    identities: [IdentityKey] = [], _ reports: AirReport...
  ) throws -> [ReportMessage.Report] {
    let harness = DataPathHarness(GatewayManifest([.company(company)]), identities: identities)
    harness.openReports()
    for (index, report) in reports.enumerated() { harness.hear(report, at: Int64(index) + 5) }
    guard case .reports(let records) = try harness.takeReports().content else { return [] }
    return records
  }

  @Test("A legacy report has its address, level, flags and data")
  func legacy() throws {
    let payload = AdvertisingPayload.made(by: company, 7)
    let record = try #require(
      try records(AirReport(.connectable, from: .device(3), rssi: -61, payload)).first)
    #expect(record.record.address == .device(3) && record.record.identity == .device(3))
    #expect(record.record.flags == [.connectable, .scannable] && record.record.rssi == -61)
    #expect(record.record.txPower == 127 && record.record.advertisingSID == 0xFF)
    #expect(record.record.primaryPHY == 1 && record.record.secondaryPHY == 0)
    #expect(record.record.time == 5000 && record.record.waited == ReportLayout.waitedUnknown)
    #expect(record.data == payload.bytes)
  }

  @Test("A scan response comes by itself, and an extended report with its set and PHYs")
  func kinds() throws {
    let long = AdvertisingPayload.made(by: company, 7)
    let records = try records(
      AirReport(.scanResponse, from: .device(1), rssi: -50, AdvertisingPayload().name("Lumo")),
      AirReport(extendedFrom: .device(2), set: 9, properties: .connectable, rssi: -40, long))
    #expect(records.count == 2)
    #expect(records[0].record.flags.contains(.scanResponse))
    #expect(records[1].record.flags.contains(.extended) && records[1].record.advertisingSID == 9)
    #expect(records[1].record.primaryPHY == 1 && records[1].data == long.bytes)
  }

  @Test("A resolved address goes with its identity")
  func identity() throws {
    let key = Block128(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)
    let identity = IdentityKey(key: key, identity: DeviceAddress(bits: 0xC000_0000_0042, type: .random))
    let address = DeviceAddress(bits: 0x7081_940D_FBAA, type: .random)
    let record = try #require(
      try records(
        identities: [identity], AirReport(.connectable, from: address, rssi: -61, .made(by: company, 1))
      ).first?.record)
    #expect(record.address == address && record.flags.contains(.hasIdentity))
    #expect(record.identity == identity.identity)
  }

  @Test("Data of any length arrives byte by byte, and none beyond its record")
  func lengths() throws {
    let harness = DataPathHarness(GatewayManifest([.company(company)]))
    harness.openReports()
    for count in [Int](0...40) + [63, 64, 65, 200, 229] {
      let data = (0..<count).map { UInt8(truncatingIfNeeded: 7 * $0 + count) }
      var header = AirReport(
        extendedFrom: .device(2), set: 9, properties: .connectable, rssi: -40, AdvertisingPayload()
      ).header
      if count <= 31 { header = AirReport(.connectable, from: .device(2), rssi: -61).header }
      harness.hear(AirReport(header: header, data: data), at: Int64(count))
      guard case .reports(let records) = try harness.takeReports().content else { continue }
      #expect(records.map(\.data) == [data], "\(count)")
    }
  }

  @Test("Each of several streams has every report")
  func severalStreams() throws {
    let harness = DataPathHarness(GatewayManifest([.company(company)]))
    harness.openReports(3)
    for index in 0..<5 { harness.hear(1, -60, .made(by: company, UInt8(index)), at: Int64(index)) }
    let batches = try (0..<3).map { try harness.takeReports($0) }
    #expect(batches[0] == batches[1] && batches[1] == batches[2])
    guard case .reports(let records) = batches[2].content else { return #expect(Bool(false)) }
    #expect(records.count == 5)
  }

  @Test("What does not fit, or comes while a batch is held back, is missed and counted")
  func missed() throws {
    let harness = DataPathHarness(GatewayManifest([.company(company)]))
    harness.openReports()
    for index in 0..<10 { harness.hear(1, -60, .made(by: company, UInt8(index)), at: Int64(index)) }
    harness.holdReportsBack()
    for index in 10..<17 { harness.hear(1, -60, .made(by: company, UInt8(index)), at: Int64(index)) }
    let held = try harness.takeReports()
    #expect(held.passed == 0 && held.missed == 0)
    harness.hear(1, -60, .made(by: company, 99), at: 20)
    let next = try harness.takeReports()
    #expect(next.passed == 17 && next.missed == 7)
  }

  @Test("A message that is cut, or of another kind, is refused")
  func damaged() throws {
    let harness = DataPathHarness(GatewayManifest([.company(company)]))
    harness.openReports()
    for index in 0..<3 { harness.hear(1, -60, .made(by: company, UInt8(index)), at: Int64(index)) }
    let bytes = harness.reportBytes()
    for count in 0..<bytes.count {
      #expect(throws: ReportMessageError.truncated) { try ReportMessage(Array(bytes[..<count])) }
    }
    #expect(throws: ReportMessageError.unknown(version: 2, kind: 0)) {
      try ReportMessage([2] + bytes.dropFirst())
    }
    for bit in 0..<bytes.count * 8 {
      var other = bytes
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      // It is read, or refused; it never traps.
      _ = try? ReportMessage(other)
    }
  }
}
