// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

/// Devices that pause between their reports, and how often they are wrongly lost.
@Suite("Rhythm")
struct RhythmTests {
  private static let company: UInt16 = 0x0EEE

  /// A gateway and one device: the events of an item that has the default gate, or that of a board which
  /// listens for a tenth of the time.
  private final class Listener {
    private var path: ManifestDataPath
    private let isTenth: Bool
    private let packet = ReportEncoder.event(
      .legacy, AirReport(.connectable, from: .device(1), rssi: -60, .made(by: company)))

    init(isTenth: Bool = false) {
      var item = DisplayItem.rhythmic(company)
      if isTenth {
        item.gate.patienceFactor = 10
        item.gate.lostMilliseconds = 100_000
        item.gate.settlingMilliseconds = 100_000
      }
      path = ManifestDataPath(GatewayManifest([item]) { $0.capacities.devices = 4 })
      self.isTenth = isTenth
    }

    func hear(at seconds: Double) {
      let time = Int64(seconds * 1_000_000)
      if isTenth, !Self.isInWindow(time) { return }
      let packet = packet
      _ = path.pipeline.receive(h4: packet.span.rawBytes, at: Instant(microseconds: time))
    }

    /// Windows of 30 ms in each 300 ms.
    static func isInWindow(_ microseconds: Int64) -> Bool { microseconds % 300_000 < 30_000 }

    /// Reports in an interval, each with the random delay of advertising.
    func hear(every interval: Double, from start: Double, to end: Double, _ dice: inout SeededGenerator) {
      var time = start
      while time < end {
        hear(at: time)
        time += interval + Double(dice.number(below: 10_000)) / 1_000_000
      }
    }

    func burst(at seconds: Double, copies: Int = 6) {
      for copy in 0..<copies { hear(at: seconds + 0.11 * Double(copy)) }
    }

    func wait(until seconds: Double) {
      path.pipeline.advance(to: Instant(microseconds: Int64(seconds * 1_000_000)))
    }

    /// When the device was found and lost, in seconds.
    func events() -> [(SightingEvent, Double)] {
      var cursor = EventCursor(epoch: Block128(high: 0, low: 0), sequence: 0)
      var events: [(SightingEvent, Double)] = []
      while case .event(_, let sighting, _) = path.pipeline.events.read(&cursor) {
        events.append((sighting.event, Double(sighting.time.microseconds) / 1_000_000))
      }
      return events
    }

    var lost: [Double] { events().filter { $0.0 == .lost }.map(\.1) }
    var lostCount: Int { Int(path.pipeline.counters.lost) }
    var foundCount: Int { Int(path.pipeline.counters.found) }
  }

  // MARK: Bursts

  @Test(
    "A device that sends bursts is found once, also when one of them is missed",
    arguments: [25, 60, 150] as [Double])
  func bursts(period: Double) {
    for missed in 2..<40 {
      let listener = Listener()
      for round in 0..<40 where round != missed { listener.burst(at: period * Double(round)) }
      #expect(listener.foundCount == 1 && listener.lostCount == 0, "burst \(missed) was missed")
    }
  }

  @Test("Of a device that sends a burst every ten minutes only the first is followed by a loss")
  func longBursts() {
    for missed in 3..<40 {
      let listener = Listener()
      for round in 0..<40 where round != missed { listener.burst(at: 600 * Double(round)) }
      #expect(listener.lost.map { Int($0) } == [300], "burst \(missed) was missed")
    }
  }

  @Test(
    "With a tenth of the scan time, bursts and the pauses between them still make few losses",
    arguments: [(25, 0), (60, 1), (150, 3), (600, 4)] as [(Double, Int)])
  func tenthOfBursts(period: Double, most: Int) {
    var dice = SeededGenerator(seed: UInt64(period))
    for _ in 0..<20 {
      let listener = Listener(isTenth: true)
      for round in 0..<200 {
        listener.burst(at: period * Double(round) + Double(dice.number(below: 1000)) / 1000, copies: 12)
      }
      #expect(listener.lostCount <= most)
    }
  }

  // MARK: Single packets

  /// Returns how often a device that sends one packet in each period is lost in 400 periods, in the mean of 100 runs.
  private func meanLosses(period: Double, lossPerMille: Int, isTenth: Bool = false) -> Double {
    var dice = SeededGenerator(seed: UInt64(period) + UInt64(lossPerMille))
    var losses = 0
    for _ in 0..<100 {
      let listener = Listener(isTenth: isTenth)
      for round in 0..<400 where !dice.chance(perMille: lossPerMille) {
        listener.hear(
          at: period * Double(round) + (isTenth ? Double(dice.number(below: 1_000_000)) / 1_000_000 : 0))
      }
      losses += listener.lostCount
    }
    return Double(losses) / 100
  }

  @Test(
    "Single packets, two in five of which are lost, make few false losses",
    arguments: [(10, 0.1), (60, 0.2), (150, 0.6), (600, 1.2)] as [(Double, Double)])
  func singlePackets(period: Double, most: Double) {
    #expect((meanLosses(period: period, lossPerMille: 400) * 10).rounded() / 10 <= most)
  }

  @Test(
    "Single packets that all arrive make no false loss, but one at the start of the slowest",
    arguments: [
      (10, 0), (60, 0), (150, 0), (600, 1),
    ] as [(Double, Double)])
  func completeSinglePackets(period: Double, losses: Double) {
    #expect(meanLosses(period: period, lossPerMille: 0) == losses)
  }

  @Test(
    "With a tenth of the scan time, single packets make few losses for how seldom they are heard",
    arguments: [
      (10, 0, 0.1), (10, 400, 0.3), (60, 0, 0.7), (60, 400, 1), (150, 0, 1.1), (150, 400, 1.2),
      (600, 0, 1.4), (600, 400, 1.4),
    ] as [(Double, Int, Double)])
  func tenthOfSinglePackets(period: Double, lossPerMille: Int, most: Double) {
    #expect(meanLosses(period: period, lossPerMille: lossPerMille, isTenth: true) <= most)
  }

  @Test(
    "A device that sends once a day is found for good on the second day, and still when it is late",
    arguments: [false, true])
  func daily(isTenth: Bool) {
    let listener = Listener(isTenth: isTenth)
    // With a tenth of the scan time, of two copies one is heard.
    for day in 0..<8 {
      listener.burst(at: 86_400 * Double(day) + (day == 5 ? 3600 : 0), copies: isTenth ? 2 : 1)
    }
    #expect(listener.lost == [300])
    listener.wait(until: 86_400 * 30)
    // Four days, which is the default of gate.lost-max-ms.
    #expect(listener.lost.map { Int($0) } == [300, 86_400 * 11])
  }

  // MARK: Devices that leave

  @Test(
    "A device that was steady for a minute is lost ten of its usual silences after it left",
    arguments: [(false, 10), (true, 100)] as [(Bool, Double)])
  func leaves(isTenth: Bool, silence: Double) {
    for seed: UInt64 in 1...20 {
      var dice = SeededGenerator(seed: seed)
      let listener = Listener(isTenth: isTenth)
      listener.hear(every: 0.1, from: 0, to: 60, &dice)
      listener.wait(until: 10_000)
      let lost = listener.lost
      #expect(lost.count == 1 && lost.allSatisfy { (50 + silence...60.1 + silence).contains($0) }, "\(lost)")
    }
  }

  @Test("A device that is carried past for two seconds is lost after five minutes", arguments: [false, true])
  func passes(isTenth: Bool) {
    let listener = Listener(isTenth: isTenth)
    for step in 0..<200 { listener.hear(at: 0.01 * Double(step)) }
    listener.wait(until: 10_000)
    #expect(listener.lost.map { Int($0) } == [301])
  }

  @Test(
    "A device that is awake for forty seconds every ten minutes stays found", arguments: [false, true],
    [0.1, 0.2, 0.5, 1, 1.1, 1.28, 2, 3, 5, 8])
  func wakes(isTenth: Bool, interval: Double) {
    var dice = SeededGenerator(seed: UInt64(100 * interval))
    let listener = Listener(isTenth: isTenth)
    for round in 0..<30 {
      let start = 600 * Double(round)
      listener.hear(every: interval, from: start, to: start + 40, &dice)
    }
    // It is lost once, when its first pause is not over.
    #expect(listener.foundCount == 2 && listener.lostCount == 1)
  }

  @Test(
    "A device that sends bursts of many slow packets is lost once, when its first pause is not over",
    arguments: [(60, 25, 1.2), (150, 30, 1.5)] as [(Double, Int, Double)])
  func slowBursts(period: Double, packets: Int, interval: Double) {
    let listener = Listener()
    for round in 0..<60 {
      for packet in 0..<packets { listener.hear(at: period * Double(round) + interval * Double(packet)) }
    }
    #expect(listener.foundCount == 2 && listener.lostCount == 1)
  }

  @Test(
    "A rhythm that changes is followed: to a longer one after one loss, to a shorter one when the old is forgotten",
    arguments: [false, true])
  func changes(isTenth: Bool) {
    let listener = Listener(isTenth: isTenth)
    let copies = isTenth ? 30 : 6
    for round in 0..<20 { listener.burst(at: 60 * Double(round), copies: copies) }
    for round in 3..<20 { listener.burst(at: 600 * Double(round), copies: copies) }
    #expect(listener.lostCount == 1)
    // Steady from now on, for longer than 16 times ten minutes: then the pauses of ten minutes do not count any more.
    var dice = SeededGenerator(seed: 1)
    listener.hear(every: isTenth ? 0.1 : 0.5, from: 12_000, to: 24_000, &dice)
    listener.wait(until: 100_000)
    let lost = listener.lost.dropFirst()
    #expect(
      lost.count == 1 && lost.allSatisfy { (isTenth ? 24_090...24_101 : 24_009...24_011).contains($0) },
      "\(lost)")
  }

  @Test("A pause in which the radio was away is none of the device's")
  func radioAway() {
    let harness = DataPathHarness(.rhythmic(Self.company))
    func hear(from start: Int64) {
      for step: Int64 in 0..<600 { harness.hear(1, -60, .made(by: Self.company), at: start + 100 * step) }
    }
    hear(from: 0)
    harness.loseRadio(at: 60_000)
    hear(from: 600_000)
    #expect(harness.lines(until: 1_000_000).last == "669900 lost bulb 1 silence")
  }

  @Test("An immediate item does not use the rhythm")
  func immediate() {
    let harness = DataPathHarness(.immediate(Self.company))
    for burst: Int64 in 0..<5 {
      for copy: Int64 in 0..<10 {
        harness.hear(1, -40, .made(by: Self.company), at: 60_000 * burst + 100 * copy)
      }
    }
    #expect(harness.lines().count { $0.contains("lost") } == 4)
  }

  @Test("gate.lost-max-ms bounds the time")
  func bound() {
    let item = DisplayItem.rhythmic(Self.company) { $0.gate.lostMillisecondsMax = 20_000 }
    let harness = DataPathHarness(item)
    harness.hear(1, -60, .made(by: Self.company), at: 0)
    #expect(harness.lines(until: 30_000) == ["0 found bulb 1 matched", "20000 lost bulb 1 silence"])
  }

  // MARK: Known from before

  @Test(
    "An accessory whose rhythm is known from before is lost after four lengths and its usual silence",
    arguments: [false, true])
  func knownFromBefore(isHeardFirst: Bool) {
    let harness = DataPathHarness(.rhythmic(Self.company))
    if isHeardFirst { harness.hear(1, -60, .made(by: Self.company), at: 0) }
    harness.setAccessory(.device(1), rhythm: 600_000)
    harness.hear(1, -60, .made(by: Self.company), at: 100)
    harness.wait(until: 3_600_000)
    // What is known is rounded up by less than a thousandth.
    let lost = harness.sightings().last { $0.sighting.event == .lost }?.milliseconds
    #expect(lost.map { (2_410_100...2_412_500).contains($0) } ?? false)
  }

  @Test("It is forgotten after 16 lengths, and once only: another accessory does not bring it back")
  func knownIsForgotten() {
    let harness = DataPathHarness(.rhythmic(Self.company))
    harness.setAccessory(.device(1), rhythm: 60_000)
    for step: Int64 in 0..<2000 {
      harness.hear(1, -60, .made(by: Self.company), at: 500 * step)
      if step == 1990 { harness.setAccessory(.device(2), rhythm: 60_000) }
    }
    #expect(harness.device(1)?.rhythmMilliseconds == nil)
    #expect(harness.lines(until: 2_000_000).last == "1009500 lost bulb 1 silence")
  }

  @Test(
    "It survives a reload, and pauses that were learned meanwhile are worth more", arguments: [false, true])
  func knownAndReload(isHeard: Bool) {
    let harness = DataPathHarness(.rhythmic(Self.company))
    if isHeard {
      for round: Int64 in 0..<4 { harness.hear(1, -60, .made(by: Self.company), at: 120_000 * round) }
    }
    harness.setAccessory(.device(1), rhythm: 600_000)
    harness.reload(.rhythmic(Self.company), at: 400_000)
    harness.hear(1, -60, .made(by: Self.company), at: 480_000)
    let rhythm = harness.device(1)?.rhythmMilliseconds ?? 0
    #expect((isHeard ? 120_000...120_118 : 600_000...600_586).contains(rhythm))
  }

  @Test("A length that no pause has is no rhythm", arguments: [0, 999, 93_700_000, UInt32.max])
  func knownNonsense(length: UInt32) {
    let harness = DataPathHarness(.rhythmic(Self.company))
    harness.setAccessory(.device(1), rhythm: length)
    harness.hear(1, -60, .made(by: Self.company), at: 0)
    #expect(harness.lines(until: 301_000).last == "300000 lost bulb 1 silence")
  }

  // MARK: Pauses

  @Test(
    "A pause counts until 16 times its own length has passed since it ended",
    arguments: [
      1000, 1500, 60_000, 599_999, 3_600_000, 93_600_000,
    ] as [Int64])
  func age(length: Int64) {
    var rhythm = Rhythm()
    rhythm.note(gap: length, endingAt: .milliseconds(0))
    let known = Int64(rhythm.milliseconds)
    #expect(known >= length && known - length <= length / 1024)
    rhythm.refresh(heardSince: .milliseconds(0), at: .milliseconds(16 * length - length / 500))
    #expect(rhythm.pauseCount == 1)
    for milliseconds in [16 * length + length / 50, 33 * length, 1000 * length] {
      var later = rhythm
      later.refresh(heardSince: .milliseconds(0), at: .milliseconds(milliseconds))
      #expect(later.pauseCount == 0)
    }
  }

  @Test("Gaps of less than a second and of more than 26 hours are no pauses")
  func lengths() {
    var rhythm = Rhythm()
    for gap in [0, 999, 93_600_001] as [Int64] { rhythm.note(gap: gap, endingAt: .milliseconds(0)) }
    #expect(rhythm.pauseCount == 0)
  }

  @Test("The summary is that of the sixteen longest pauses that count", arguments: UInt64(1)...20)
  func summary(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    var rhythm = Rhythm()
    var pauses = ModelPauses()
    var time: Int64 = 0
    for _ in 0..<2000 {
      let length = 1000 + Int64(dice.number(below: 1 << (3 + dice.number(below: 24))))
      time += length + Int64(dice.number(below: 1 << dice.number(below: 24)))
      rhythm.note(gap: length, endingAt: .milliseconds(time))
      pauses.add(length, end: time)
      let later = time + Int64(dice.number(below: 1 << dice.number(below: 26)))
      var summary = rhythm
      summary.refresh(heardSince: .milliseconds(0), at: .milliseconds(later))
      let lengths = pauses.lengths(at: later)
      #expect(Int(summary.pauseCount) == lengths.count && Int64(summary.milliseconds) == lengths.max() ?? 0)
    }
  }
}
