// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

/// More devices at constant levels than an item keeps.
@Suite("Full items")
struct FullItemTests {
  private static let company: UInt16 = 0x0EEE

  /// Each device at a level of its own, between -95 and -40 dBm; the strongest is `strongest`, which appears at 5 s.
  private static func level(of device: UInt64, _ strongest: UInt64, _ dice: inout SeededGenerator) -> Int8 {
    device == strongest ? -39 : Int8(-95 + dice.number(below: 56))
  }

  /// Ten minutes in which each device is heard every two seconds.
  private static func hear(devices: Int, quota: Int32?, seed: UInt64) -> ManifestDataPath {
    var manifest = GatewayManifest([.company(company)]) { gateway in
      gateway.capacities = Capacities()
      if let quota { gateway.capacities.matchesPerItem = quota }
      gateway.capacities.events = 65_536
      gateway.capacities.eventBytes = 1 << 21
    }
    manifest.gateway.changedIntervalMilliseconds = 1000
    var path = ManifestDataPath(manifest)
    var dice = SeededGenerator(seed: seed)
    let strongest = UInt64(devices - 1)
    let levels = (0..<UInt64(devices)).map { level(of: $0, strongest, &dice) }
    let packets = levels.enumerated().map { number, level in
      ReportEncoder.event(
        .legacy, AirReport(.connectable, from: .device(UInt64(number)), rssi: level, .made(by: company)))
    }
    let order = (0..<devices).sorted { dice.next() ^ UInt64($0) < dice.next() ^ UInt64($1) }
    for round: Int64 in 0..<300 {
      for (position, number) in order.enumerated() where number != Int(strongest) || round >= 2 {
        let time = Instant(microseconds: round * 2_000_000 + Int64(position) * 2_000_000 / Int64(devices))
        let packet = packets[number]
        _ = path.pipeline.receive(h4: packet.span.rawBytes, at: time)
      }
    }
    return path
  }

  @Test(
    "At constant levels nothing changes after ten seconds, and the strongest device is let in at once",
    arguments: [(65, 64), (90, 64), (664, 64), (257, nil), (664, nil)] as [(Int, Int32?)])
  func constantLevels(devices: Int, quota: Int32?) {
    let path = Self.hear(devices: devices, quota: quota, seed: UInt64(devices))
    path.pipeline.checkInvariants()
    var cursor = EventCursor(epoch: Block128(high: 0, low: 0), sequence: 0)
    var found: [UInt64: Int] = [:]
    var strongestFound: Int64?
    while case .event(_, let sighting, _) = path.pipeline.events.read(&cursor) {
      let device = sighting.address.bits & 0xFFFF_FFFF
      switch sighting.event {
      case .found:
        found[device, default: 0] += 1
        if device == UInt64(devices - 1) { strongestFound = sighting.time.microseconds }
      case .lost: #expect(sighting.time.microseconds <= 10_000_000, "\(device) is lost")
      case .changed: Issue.record("\(device) has changed")
      }
    }
    #expect(cursor.sequence == path.pipeline.events.produced)
    #expect(found.values.allSatisfy { $0 == 1 })
    // It appears in the third round, and its first report finds it.
    let appeared = path.pipeline.row(at: .device(UInt64(devices - 1))).flatMap {
      path.pipeline.device(at: $0)
    }
    #expect(strongestFound != nil && strongestFound == appeared?.firstSeen.microseconds)
    let kept = (0..<path.pipeline.rowCount).count { path.pipeline.device(at: $0)?.matchCount == 1 }
    #expect(kept == Int(quota ?? 256))
    #expect(path.pipeline.turnedAwayCounts(items: 1) == [devices - kept])
  }

  /// Lets devices be heard once, each at a level of its own.
  private func hear(_ levels: [(UInt64, Int8)], in harness: DataPathHarness, at time: Int64) {
    for (number, level) in levels { harness.hear(number, level, .made(by: Self.company), at: time) }
  }

  @Test("Devices that were turned away are counted for the items of a new manifest")
  func reload() {
    let (lamp, bulb) = (DisplayItem.company(2, "lamp"), DisplayItem.company(Self.company))
    let harness = DataPathHarness(lamp, bulb) { $0.capacities.matchesPerItem = 1 }
    hear([(1, -40), (2, -41)], in: harness, at: 0)
    #expect(harness.turnedAway == [0, 1])
    harness.reload(GatewayManifest([bulb]) { $0.capacities.matchesPerItem = 1 }, at: 100)
    #expect(harness.turnedAway == [1])
  }

  @Test("To a device that is stronger than all, the weakest gives way at once")
  func strongest() {
    let harness = DataPathHarness(.company(Self.company)) { $0.capacities.matchesPerItem = 3 }
    hear([(1, -60), (2, -63), (3, -62)], in: harness, at: 0)
    _ = harness.lines()
    hear([(4, -59), (5, -58)], in: harness, at: 1)
    #expect(
      harness.lines() == [
        "1 lost bulb 2 evicted", "1 found bulb 4 matched", "1 lost bulb 3 evicted", "1 found bulb 5 matched",
      ])
    #expect(harness.counters.matchesEvicted == 2)
  }

  @Test("Another device must be 6 dB stronger than the weakest, and only one a second takes a place")
  func lead() {
    let harness = DataPathHarness(.company(Self.company)) { $0.capacities.matchesPerItem = 3 }
    hear([(1, -40), (2, -70), (3, -69)], in: harness, at: 0)
    _ = harness.lines()
    hear([(4, -65), (5, -64)], in: harness, at: 1)
    #expect(harness.lines() == ["1 lost bulb 2 evicted", "1 found bulb 5 matched"])
    hear([(6, -50)], in: harness, at: 1000)
    #expect(harness.lines() == [])
    #expect(harness.counters.matchesTurnedAway == 2)
    hear([(6, -50)], in: harness, at: 1001)
    #expect(harness.lines() == ["1001 lost bulb 3 evicted", "1001 found bulb 6 matched"])
  }

  @Test("A device that was turned away comes in when it has become 6 dB stronger than the weakest")
  func approaching() {
    let harness = DataPathHarness(.company(Self.company)) { $0.capacities.matchesPerItem = 2 }
    func hear(_ third: Int8, _ steps: Range<Int64>) {
      for step in steps {
        self.hear([(1, -30), (2, -70), (3, third)], in: harness, at: 500 * step)
      }
    }
    hear(-75, 0..<100)
    #expect(harness.lines() == ["0 found bulb 1 matched", "0 found bulb 2 matched"])
    hear(-66, 100..<200)
    #expect(harness.lines() == [])
    hear(-60, 200..<240)
    #expect(
      harness.lines().map { $0.drop { $0 != " " } } == [" lost bulb 2 evicted", " found bulb 3 matched"])
  }

  @Test("What a full item turned away is not matched again while it stays the same and weak")
  func evaluations() {
    let harness = DataPathHarness(.company(Self.company)) { $0.capacities.matchesPerItem = 1 }
    hear([(1, -40), (2, -60)], in: harness, at: 0)
    let evaluations = harness.evaluations
    for step in 1...100 as ClosedRange<Int64> { hear([(1, -40), (2, -60)], in: harness, at: 100 * step) }
    #expect(harness.evaluations == evaluations && harness.turnedAway == [1])
    #expect(harness.counters.matchesTurnedAway == 101)
    harness.hear(2, -60, .made(by: Self.company, 7), at: 10_100)
    #expect(harness.evaluations == evaluations + 1)
    for step in 102...240 as ClosedRange<Int64> {
      harness.hear(2, -60, .made(by: Self.company, 7), at: 100 * step)
    }
    #expect(harness.lines().contains { $0.hasSuffix("found bulb 2 matched") })
  }

  @Test(
    "After ten seconds of listening the strongest are chosen at once, and after a loss of the radio again")
  func choice() {
    let harness = DataPathHarness(.company(Self.company)) { $0.capacities.matchesPerItem = 4 }
    let levels: [(UInt64, Int8)] = (1...8).map { ($0, $0 == 1 ? -40 : Int8(-72 + Int($0))) }
    for round: Int64 in 0...40 { hear(levels, in: harness, at: 300 * round) }
    #expect((1...8).filter { harness.found($0).isEmpty } == [2, 3, 4, 5])
    harness.loseRadio(at: 13_000)
    _ = harness.lines()
    for round: Int64 in 50...60 { hear(levels.reversed().suffix(7), in: harness, at: 300 * round) }
    for round: Int64 in 61...90 { hear(levels.reversed(), in: harness, at: 300 * round) }
    #expect((1...8).filter { harness.found($0).isEmpty } == [2, 3, 4, 5])
  }

  @Test("A device that is silent gives way to any newcomer")
  func silent() {
    let item = DisplayItem.rhythmic(Self.company)
    let harness = DataPathHarness(item) { $0.capacities.matchesPerItem = 2 }
    hear([(1, -40), (2, -41)], in: harness, at: 0)
    hear([(1, -40)], in: harness, at: 12_000)
    _ = harness.lines()
    hear([(3, -90)], in: harness, at: 12_001)
    #expect(harness.lines() == ["12001 lost bulb 2 evicted", "12001 found bulb 3 matched"])
  }

  @Test(
    "A device that sleeps gives way after ten seconds to any newcomer that does not",
    arguments: [5, 12, 27, 50])
  func sleepingGivesWay(silence: Int64) {
    let item = DisplayItem.rhythmic(Self.company)
    let harness = DataPathHarness(item) { $0.capacities.matchesPerItem = 2 }
    for minute in Int64(0)...5 {
      for device in UInt64(1)...2 {
        for copy in Int64(0)..<6 {
          hear([(device, -50)], in: harness, at: minute * 60_000 + Int64(device) * 500 + copy * 30)
        }
      }
    }
    _ = harness.lines()
    let start = 301_200 + silence * 1000
    hear([(3, -90)], in: harness, at: start)
    #expect(
      harness.lines()
        == (silence < 10 ? [] : ["\(start) lost bulb 1 evicted", "\(start) found bulb 3 matched"]))
  }

  @Test("Devices that sleep keep their places between their bursts, and the strongest have them")
  func sleeping() {
    let item = DisplayItem.rhythmic(Self.company)
    let harness = DataPathHarness(item) { $0.capacities.matchesPerItem = 4 }
    // Each wakes up once a minute, one after the other; the first two are weak.
    for minute in Int64(0)..<30 {
      for device in UInt64(1)...6 {
        for copy in Int64(0)..<4 {
          hear(
            [(device, device < 3 ? -80 : -45)], in: harness,
            at: minute * 60_000 + Int64(device) * 9000 + copy * 30)
        }
      }
      if minute == 5 { _ = harness.lines() }
    }
    #expect(harness.lines() == [])
    #expect((1...6).filter { harness.found($0).isEmpty } == [1, 2])
  }

  @Test("A device that is named gets a place at once")
  func named() {
    let harness = DataPathHarness(.company(Self.company)) { $0.capacities.matchesPerItem = 2 }
    hear([(1, -40), (2, -50), (3, -90)], in: harness, at: 0)
    _ = harness.lines()
    harness.giveWay(to: .device(3))
    harness.giveWay(to: .device(4))
    #expect(harness.lines() == ["0 lost bulb 2 evicted", "0 found bulb 3 matched"])
  }

  @Test("A device without a level gives way to any that has one, and is never preferred")
  func withoutLevel() {
    let harness = DataPathHarness(.company(Self.company)) { $0.capacities.matchesPerItem = 1 }
    harness.hear(1, 127, .made(by: Self.company), at: 0)
    harness.hear(2, 127, .made(by: Self.company), at: 1)
    harness.hear(3, -90, .made(by: Self.company), at: 2)
    #expect(
      harness.lines() == ["0 found bulb 1 matched", "2 lost bulb 1 evicted", "2 found bulb 3 matched"])
  }
}
