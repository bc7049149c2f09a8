// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("The report assembler")
struct ReportAssemblerTests {
  /// An assembler over memory of its own. Its reports are described rather than received.
  struct AssemblerHarness: ~Copyable {
    let memory: Memory
    var assembler: ReportAssembler

    init(capacity: Int = 8) {
      var measure = Arena()
      _ = ReportAssembler(capacity: capacity, in: &measure)
      memory = Memory(byteCount: measure.byteCount)
      var arena = memory.arena()
      assembler = ReportAssembler(capacity: capacity, in: &arena)
    }

    var counters: ReportAssembler.Counters { assembler.counters }

    mutating func add(_ report: ReadReport, at milliseconds: Int64 = 0) -> ReportAssembler.Outcome {
      let borrowed = AdvertisingReport(header: report.header, data: report.data.rawSpan)
      return assembler.add(borrowed, at: Instant(microseconds: milliseconds * 1000))
    }

    /// The joined payload, or nil when the outcome was another.
    mutating func joined(_ report: ReadReport, at milliseconds: Int64 = 0) -> [UInt8]? {
      guard case .assembled(let slot, let byteCount) = add(report, at: milliseconds) else { return nil }
      return assembler.payload(slot: slot, byteCount: byteCount).bytes
    }
  }

  /// A fragment of the advertiser `number`.
  func report(
    _ data: [UInt8], _ status: DataStatus, advertiser number: UInt8 = 0, advertisingSID: UInt8 = 5,
    isScanResponse: Bool = false, isAnonymous: Bool = false
  ) throws -> ReadReport {
    var layout = ExtendedReportLayout()
    layout.eventType = UInt16(status.rawValue) << 5 | (isScanResponse ? 8 : 0)
    layout.address[0] = number
    layout.addressType = isAnonymous ? 0xFF : 0x01
    layout.advertisingSID = advertisingSID
    layout.data = data
    return try #require(EventReading(reportEvent(0x0D, [layout.bytes])).reports.first)
  }

  @Test("A report that is all there is stays whole")
  func whole() throws {
    var harness = AssemblerHarness()
    #expect(harness.add(try report([1, 2], .complete)) == .whole)
    #expect(harness.add(try report([1, 2], .truncated)) == .whole)
    let legacy = try #require(EventReading(Packets.legacy.bytes).reports.first)
    #expect(harness.add(legacy) == .whole)
    #expect(harness.counters == ReportAssembler.Counters())
  }

  @Test("Fragments are joined in the order they came")
  func joined() throws {
    var harness = AssemblerHarness()
    #expect(harness.add(try report([1, 2], .incomplete)) == .pending)
    #expect(harness.add(try report([3], .incomplete)) == .pending)
    let last = try report([4, 5, 6], .complete)
    guard case .assembled(let slot, _) = harness.add(last) else {
      Issue.record("the chain was not joined")
      return
    }
    #expect(harness.assembler.fragmentCount(slot: slot) == 3)
    let payload = harness.assembler.payload(slot: slot, byteCount: 6).bytes
    #expect(payload == [1, 2, 3, 4, 5, 6])
    #expect(harness.counters.assembled == 1)
    #expect(harness.add(try report([7], .complete)) == .whole)
  }

  @Test("A truncated end still gives what was received")
  func truncated() throws {
    var harness = AssemblerHarness()
    _ = harness.add(try report([1, 2], .incomplete))
    #expect(harness.joined(try report([], .truncated)) == [1, 2])
    #expect(harness.counters.assembled == 1)
  }

  @Test("Chains of different advertisers, sets and kinds do not mix")
  func interleaved() throws {
    var harness = AssemblerHarness()
    _ = harness.add(try report([0x10], .incomplete, advertiser: 1))
    _ = harness.add(try report([0x20], .incomplete, advertiser: 2))
    _ = harness.add(try report([0x30], .incomplete, advertiser: 1, advertisingSID: 6))
    _ = harness.add(try report([0x40], .incomplete, advertiser: 1, isScanResponse: true))
    _ = harness.add(try report([0x11], .incomplete, advertiser: 1))
    #expect(harness.joined(try report([0x21], .complete, advertiser: 2)) == [0x20, 0x21])
    #expect(
      harness.joined(try report([0x41], .complete, advertiser: 1, isScanResponse: true)) == [0x40, 0x41])
    #expect(harness.joined(try report([0x12], .complete, advertiser: 1)) == [0x10, 0x11, 0x12])
    #expect(harness.joined(try report([0x31], .complete, advertiser: 1, advertisingSID: 6)) == [0x30, 0x31])
  }

  @Test("A legacy report between two fragments does not disturb them")
  func legacyBetween() throws {
    var harness = AssemblerHarness()
    let fixture = EventReading(Packets.legacy.bytes)
    _ = harness.add(try report([1], .incomplete))
    #expect(harness.add(try #require(fixture.reports.first)) == .whole)
    #expect(harness.joined(try report([2], .complete)) == [1, 2])
  }

  @Test("Anonymous fragments are joined by their set")
  func anonymous() throws {
    var harness = AssemblerHarness()
    _ = harness.add(try report([1], .incomplete, advertiser: 1, advertisingSID: 1, isAnonymous: true))
    _ = harness.add(try report([9], .incomplete, advertiser: 1, advertisingSID: 2, isAnonymous: true))
    let last = try report([2], .complete, advertiser: 77, advertisingSID: 1, isAnonymous: true)
    #expect(harness.joined(last) == [1, 2])
  }

  @Test("A new chain that finds all places taken replaces the one that waited longest")
  func displaced() throws {
    var harness = AssemblerHarness(capacity: 2)
    _ = harness.add(try report([1], .incomplete, advertiser: 1), at: 0)
    _ = harness.add(try report([2], .incomplete, advertiser: 2), at: 10)
    _ = harness.add(try report([1], .incomplete, advertiser: 1), at: 20)
    _ = harness.add(try report([3], .incomplete, advertiser: 3), at: 30)
    #expect(harness.counters.displaced == 1)
    #expect(harness.joined(try report([1], .complete, advertiser: 1), at: 40) == [1, 1, 1])
    #expect(harness.joined(try report([3], .complete, advertiser: 3), at: 40) == [3, 3])
    #expect(harness.add(try report([2], .complete, advertiser: 2), at: 40) == .whole)
  }

  @Test("A chain whose next fragment is out of reach is forgotten")
  func expired() throws {
    var harness = AssemblerHarness()
    _ = harness.add(try report([1], .incomplete), at: 0)
    #expect(harness.joined(try report([2], .complete), at: 2500) == [1, 2])
    _ = harness.add(try report([1], .incomplete), at: 10_000)
    #expect(harness.add(try report([2], .complete), at: 12_501) == .whole)
    #expect(harness.counters.expired == 1)
  }

  @Test("A chain as long as a set's data can be is joined; one byte more is lost")
  func oversized() throws {
    for extraCount in [0, 1] {
      var harness = AssemblerHarness(capacity: 1)
      for _ in 0..<8 { _ = harness.add(try report([UInt8](repeating: 7, count: 206), .incomplete)) }
      let last = try report([7, 7] + [UInt8](repeating: 7, count: extraCount), .complete)
      if extraCount == 0 {
        #expect(harness.joined(last)?.count == ReportAssembler.payloadBytesMax)
      } else {
        #expect(harness.add(last) == .lost)
        #expect(harness.counters.oversized == 1 && harness.counters.assembled == 0)
      }
      #expect(harness.add(try report([1], .complete)) == .whole)
    }
  }

  @Test("A chain that never ends stays in its place")
  func endless() throws {
    var harness = AssemblerHarness(capacity: 1)
    let fragment = try report([UInt8](repeating: 7, count: 229), .incomplete)
    for _ in 0..<1000 { #expect(harness.add(fragment) == .pending) }
    #expect(harness.add(try report([1], .complete)) == .lost)
    #expect(harness.counters.oversized == 1)
  }

  @Test("Without places every chain is lost")
  func noPlaces() throws {
    var harness = AssemblerHarness(capacity: 0)
    #expect(harness.add(try report([1], .incomplete)) == .lost)
    #expect(harness.add(try report([2], .complete)) == .whole)
  }

  @Test("Every cut and every flipped bit of a chain's event is taken", arguments: [Packets.extendedChain])
  func damage(fixture: Fixture) {
    withEveryDamage(of: fixture.bytes) { packet, damage in
      var harness = AssemblerHarness(capacity: 2)
      for report in EventReading(packet).reports {
        if let payload = harness.joined(report) { #expect(payload.count <= packet.count, "\(damage)") }
      }
    }
  }
}
