// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("The report assembler")
struct ReportAssemblerTests {
  /// An assembler over memory of its own, which takes reports that are described rather than received.
  struct Bench: ~Copyable {
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

    mutating func take(_ report: ReadReport, at milliseconds: Int64 = 0) -> ReportAssembler.Outcome {
      let borrowed = AdvertisingReport(header: report.header, data: report.data.rawSpan)
      return assembler.add(borrowed, at: Instant(microseconds: milliseconds * 1000))
    }

    /// The joined payload, or nil when the outcome was another.
    mutating func joined(_ report: ReadReport, at milliseconds: Int64 = 0) -> [UInt8]? {
      guard case .assembled(let slot, let byteCount) = take(report, at: milliseconds) else { return nil }
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
    var bench = Bench()
    #expect(bench.take(try report([1, 2], .complete)) == .whole)
    #expect(bench.take(try report([1, 2], .truncated)) == .whole)
    let legacy = try #require(EventReading(Packets.legacy.bytes).reports.first)
    #expect(bench.take(legacy) == .whole)
    #expect(bench.counters == ReportAssembler.Counters())
  }

  @Test("Fragments are joined in the order they came")
  func joined() throws {
    var bench = Bench()
    #expect(bench.take(try report([1, 2], .incomplete)) == .pending)
    #expect(bench.take(try report([3], .incomplete)) == .pending)
    let last = try report([4, 5, 6], .complete)
    guard case .assembled(let slot, _) = bench.take(last) else {
      Issue.record("the chain was not joined")
      return
    }
    #expect(bench.assembler.fragmentCount(slot: slot) == 3)
    let payload = bench.assembler.payload(slot: slot, byteCount: 6).bytes
    #expect(payload == [1, 2, 3, 4, 5, 6])
    #expect(bench.counters.assembled == 1)
    #expect(bench.take(try report([7], .complete)) == .whole)
  }

  @Test("A truncated end still gives what was received")
  func truncated() throws {
    var bench = Bench()
    _ = bench.take(try report([1, 2], .incomplete))
    #expect(bench.joined(try report([], .truncated)) == [1, 2])
    #expect(bench.counters.assembled == 1)
  }

  @Test("Chains of different advertisers, sets and kinds do not mix")
  func interleaved() throws {
    var bench = Bench()
    _ = bench.take(try report([0x10], .incomplete, advertiser: 1))
    _ = bench.take(try report([0x20], .incomplete, advertiser: 2))
    _ = bench.take(try report([0x30], .incomplete, advertiser: 1, advertisingSID: 6))
    _ = bench.take(try report([0x40], .incomplete, advertiser: 1, isScanResponse: true))
    _ = bench.take(try report([0x11], .incomplete, advertiser: 1))
    #expect(bench.joined(try report([0x21], .complete, advertiser: 2)) == [0x20, 0x21])
    #expect(bench.joined(try report([0x41], .complete, advertiser: 1, isScanResponse: true)) == [0x40, 0x41])
    #expect(bench.joined(try report([0x12], .complete, advertiser: 1)) == [0x10, 0x11, 0x12])
    #expect(bench.joined(try report([0x31], .complete, advertiser: 1, advertisingSID: 6)) == [0x30, 0x31])
  }

  @Test("A legacy report between two fragments does not disturb them")
  func legacyBetween() throws {
    var bench = Bench()
    let fixture = EventReading(Packets.legacy.bytes)
    _ = bench.take(try report([1], .incomplete))
    #expect(bench.take(try #require(fixture.reports.first)) == .whole)
    #expect(bench.joined(try report([2], .complete)) == [1, 2])
  }

  @Test("Anonymous fragments are joined by their set")
  func anonymous() throws {
    var bench = Bench()
    _ = bench.take(try report([1], .incomplete, advertiser: 1, advertisingSID: 1, isAnonymous: true))
    _ = bench.take(try report([9], .incomplete, advertiser: 1, advertisingSID: 2, isAnonymous: true))
    let last = try report([2], .complete, advertiser: 77, advertisingSID: 1, isAnonymous: true)
    #expect(bench.joined(last) == [1, 2])
  }

  @Test("A new chain that finds all places taken replaces the one that waited longest")
  func displaced() throws {
    var bench = Bench(capacity: 2)
    _ = bench.take(try report([1], .incomplete, advertiser: 1), at: 0)
    _ = bench.take(try report([2], .incomplete, advertiser: 2), at: 10)
    _ = bench.take(try report([1], .incomplete, advertiser: 1), at: 20)
    _ = bench.take(try report([3], .incomplete, advertiser: 3), at: 30)
    #expect(bench.counters.displaced == 1)
    #expect(bench.joined(try report([1], .complete, advertiser: 1), at: 40) == [1, 1, 1])
    #expect(bench.joined(try report([3], .complete, advertiser: 3), at: 40) == [3, 3])
    #expect(bench.take(try report([2], .complete, advertiser: 2), at: 40) == .whole)
  }

  @Test("A chain whose next fragment is out of reach is forgotten")
  func expired() throws {
    var bench = Bench()
    _ = bench.take(try report([1], .incomplete), at: 0)
    #expect(bench.joined(try report([2], .complete), at: 2500) == [1, 2])
    _ = bench.take(try report([1], .incomplete), at: 10_000)
    #expect(bench.take(try report([2], .complete), at: 12_501) == .whole)
    #expect(bench.counters.expired == 1)
  }

  @Test("A chain as long as a set's data can be is joined; one byte more is lost")
  func oversized() throws {
    for surplus in [0, 1] {
      var bench = Bench(capacity: 1)
      for _ in 0..<8 { _ = bench.take(try report([UInt8](repeating: 7, count: 206), .incomplete)) }
      let last = try report([7, 7] + [UInt8](repeating: 7, count: surplus), .complete)
      if surplus == 0 {
        #expect(bench.joined(last)?.count == ReportAssembler.payloadBytesMax)
      } else {
        #expect(bench.take(last) == .lost)
        #expect(bench.counters.oversized == 1 && bench.counters.assembled == 0)
      }
      #expect(bench.take(try report([1], .complete)) == .whole)
    }
  }

  @Test("A chain that never ends stays in its place")
  func endless() throws {
    var bench = Bench(capacity: 1)
    let fragment = try report([UInt8](repeating: 7, count: 229), .incomplete)
    for _ in 0..<1000 { #expect(bench.take(fragment) == .pending) }
    #expect(bench.take(try report([1], .complete)) == .lost)
    #expect(bench.counters.oversized == 1)
  }

  @Test("Without places every chain is lost")
  func noPlaces() throws {
    var bench = Bench(capacity: 0)
    #expect(bench.take(try report([1], .incomplete)) == .lost)
    #expect(bench.take(try report([2], .complete)) == .whole)
  }

  @Test("Every cut and every flipped bit of a chain's event is taken", arguments: [Packets.extendedChain])
  func damage(fixture: Fixture) {
    withEveryDamage(of: fixture.bytes) { packet, damage in
      var bench = Bench(capacity: 2)
      for report in EventReading(packet).reports {
        if let payload = bench.joined(report) { #expect(payload.count <= packet.count, "\(damage)") }
      }
    }
  }
}
