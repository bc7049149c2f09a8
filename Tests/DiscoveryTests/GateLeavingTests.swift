// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Setup
import Testing
import VirtualRadio

@Suite("Staying in the immediate gate and leaving it")
struct GateLeavingTests: GateTesting {
  @Test("A level that jiggles inside the hysteresis causes no event", arguments: UInt64(1)...10)
  func jiggle(seed: UInt64) {
    let harness = entered()
    var dice = SeededGenerator(seed: seed)
    for step: Int64 in 0..<3000 {
      let reading = Int8(-58 + dice.number(below: 9))  // -58 ... -50
      harness.hear(1, reading, .made(by: company), at: 1000 + 100 * step)
    }
    #expect(harness.lines() == [], "seed \(seed)")
    #expect(harness.found(1) == ["bulb"])
  }

  @Test("Outside the gate the same jiggle causes no event either", arguments: UInt64(1)...10)
  func jiggleOutside(seed: UInt64) {
    let harness = gateway()
    var dice = SeededGenerator(seed: seed)
    for step: Int64 in 0..<3000 {
      harness.hear(1, Int8(-58 + dice.number(below: 8)), .made(by: company), at: 100 * step)  // -58 ... -51
    }
    #expect(harness.lines() == [], "seed \(seed)")
  }

  @Test("Steps across the whole hysteresis and back within 2 s cause no event")
  func shortAbsences() {
    let harness = entered()
    var now: Int64 = 1000
    for _ in 0..<20 {
      send(times(15, -75), to: harness, from: now)
      send(times(30, -50), to: harness, from: now + 1500)
      now += 4500
    }
    #expect(harness.lines() == [])
  }

  @Test("A device leaves 2 s after its level fell below -58, at that time and not with the next report")
  func leave() {
    let harness = entered()
    send([-59], to: harness, from: 1000)
    send(times(50, -90), to: harness, every: 100, from: 1100)
    let lost = harness.sightings()
    #expect(lost.map(\.sighting.reason) == [.left])
    // When the filtered level passed -58, from its definition.
    var level = -40 * 16
    var readings = [Int](repeating: -40, count: 5)
    var fallen: Int64 = 0
    for step: Int64 in 0..<50 where fallen == 0 {
      readings.append(step == 0 ? -59 : -90)
      level += ((readings.suffix(5).sorted()[2] * 16 - level) >> 2)
      if level < -58 * 16 { fallen = 1000 + 100 * step }
    }
    #expect(lost.first?.milliseconds == fallen + 2000)
  }

  @Test("Leaving needs no further report: the timer runs between records")
  func leaveBetweenRecords() {
    let harness = entered()
    send(times(6, -90), to: harness, from: 1000)  // below -58 within these
    harness.wait(until: 10_000)
    let lost = harness.sightings()
    #expect(lost.map(\.sighting.reason) == [.left])
    #expect((3000...3500).contains(lost[0].milliseconds))
  }

  @Test("After leaving, a device can enter again")
  func again() {
    let harness = entered()
    send(times(40, -90), to: harness, from: 1000)
    send(times(40, -40), to: harness, from: 5000)
    #expect(harness.sightings().map(\.sighting.event) == [.lost, .found])
  }

  @Test("Silence ends a stay after 5 s, to the microsecond")
  func silence() {
    let harness = entered()
    #expect(harness.lines(until: 5899) == [])
    #expect(harness.lines(until: 6000) == ["5900 lost bulb 1 silence"])
  }

  @Test(
    "Silence of a slow advertiser is three of its intervals, at most 30 s",
    arguments: [
      (1000, 5000), (3000, 9000), (5000, 15_000),
    ])
  func silenceOfSlowAdvertisers(interval: Int64, patience: Int64) {
    let harness = gateway()
    send(times(4, -40), to: harness, every: interval)
    _ = harness.lines()
    #expect(harness.lines(until: 100_000) == ["\(3 * interval + patience) lost bulb 1 silence"])
  }

  @Test("Patience ends at 30 s")
  func silenceCeiling() {
    let harness = gateway { $0.sampleWindowMillisecondsMax = 100_000 }
    send(times(4, -40), to: harness, every: 11_000)
    #expect(harness.lines() == ["33000 found bulb 1 entered"])
    #expect(harness.lines(until: 200_000) == ["63000 lost bulb 1 silence"])
  }

  @Test("A slow advertiser that becomes a fast one is lost by its new interval")
  func shrinkingInterval() {
    let harness = gateway()
    send(times(5, -40), to: harness, every: 5000)  // 15 s of patience from 20 s on
    send(times(8, -40), to: harness, every: 100, from: 20_100)  // the last at 20,800
    _ = harness.lines()
    #expect(harness.lines(until: 60_000) == ["25800 lost bulb 1 silence"])
  }

  @Test("Reports without a reading do not keep a device inside")
  func silentReadings() {
    let harness = entered()
    send(times(80, 127), to: harness, from: 1000)
    #expect(harness.lines() == ["5900 lost bulb 1 silence"])
  }

  @Test("After a silence the filter restarts")
  func filterReset() {
    let harness = entered()
    send(times(3, -90), to: harness, from: 6000)
    #expect(harness.lines() == ["5900 lost bulb 1 silence"])
    #expect(harness.device(1)?.signal.readingCount == 3)
    #expect(harness.device(1)?.filteredRSSI == -90)
  }

  @Test("A report at the very end of a silence restarts the filter too")
  func filterResetAtTheBorder() {
    let harness = entered()
    send([-41], to: harness, from: 5900)
    #expect(harness.lines() == ["5900 lost bulb 1 silence"])
    #expect(harness.device(1)?.signal.readingCount == 1)
  }

  @Test("A scan response alone after a silence is a reading")
  func responseAfterSilence() {
    let harness = entered()
    harness.hear(response: AdvertisingPayload(), of: 1, -44, at: 20_000)
    #expect(harness.device(1)?.filteredRSSI == -44)
  }
}

extension Device {
  fileprivate var filteredRSSI: Int8? { signal.filteredRSSI }
}
