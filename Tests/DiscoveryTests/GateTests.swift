// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import HCI
import Testing
import VirtualRadio

@testable import Discovery

@Suite("Immediate gate")
struct GateTests {
  private let company: UInt16 = 0x0EEE

  private func gateway(_ adjust: (inout GateSettings) -> Void = { _ in }) -> Listener {
    Listener(.immediate(company, "bulb", adjust))
  }

  /// One advertiser that sends these readings from `start` on.
  private func send(
    _ readings: [Int8], to listener: Listener, every interval: Int64 = 100, from start: Int64 = 0,
    _ payload: AdvertisingPayload? = nil
  ) {
    for (index, reading) in readings.enumerated() {
      listener.hear(1, reading, payload ?? .made(by: company), at: start + interval * Int64(index))
    }
  }

  private func times(_ count: Int, _ reading: Int8) -> [Int8] { [Int8](repeating: reading, count: count) }

  // MARK: Entering

  @Test("A device enters once its level was high enough for 400 ms, with the sample that finds it so")
  func enterDwell() {
    let listener = gateway()
    send(times(4, -50), to: listener)
    #expect(listener.lines() == [])
    send([-50], to: listener, from: 399)
    #expect(listener.lines() == [])
    send([-50], to: listener, from: 400)
    #expect(listener.lines() == ["400 found bulb 1 entered"])
  }

  @Test("One sixteenth of a decibel below the threshold does not enter")
  func enterThreshold() {
    let listener = gateway()
    // -50 and then a median of -51: -50.25, and -50.4 and further down with each -51.
    send([-50] + times(100, -51), to: listener)
    #expect(listener.lines() == [])
    // A level that rises towards a steady -50 stops at -50 3/16; a reading of -49 brings it over.
    send(times(100, -50), to: listener, from: 10_100)
    #expect(listener.device(1)?.filteredRSSI == -50)
    #expect(listener.lines() == [])
    send(times(12, -49), to: listener, from: 20_100)
    #expect(listener.lines().count == 1)
  }

  @Test("A dip below the threshold starts the dwell anew")
  func dipRestartsDwell() {
    let listener = gateway()
    // Five times -50, of which the fifth would enter at 400 ms, but the two before pull the level down.
    send([-50, -50, -60, -60, -60, -60, -50], to: listener)
    #expect(listener.lines() == [])
    send(times(20, -40), to: listener, from: 700)
    let lines = listener.sightings()
    #expect(lines.count == 1)
    #expect(lines[0].milliseconds >= 1100)
  }

  @Test("Two samples are too few however far apart, the third enters")
  func samples() {
    let listener = gateway()
    send([-40, -40], to: listener, every: 600)
    #expect(listener.lines() == [])
    send([-40], to: listener, from: 1200)
    #expect(listener.lines() == ["1200 found bulb 1 entered"])
  }

  @Test("Three samples must lie in 2 s while the interval is short")
  func sampleWindow() {
    let listener = gateway()
    send(times(9, -55), to: listener)  // Teaches 100 ms; the last at 800 ms.
    send(times(8, -20), to: listener, every: 1001, from: 1801)
    // The third -20 at 3803 lifts the level to -46. At 4804, two samples are in 2 s, but half of the last eight gaps
    // are longer than a second, and the window becomes 4 s.
    #expect(listener.lines() == ["4804 found bulb 1 entered"])
    let twice = gateway { $0.sampleWindowMillisecondsMax = 2000 }
    send(times(9, -55), to: twice)
    send(times(30, -20), to: twice, every: 1001, from: 1801)
    #expect(twice.lines() == [])
  }

  @Test("Advertisers of one and three seconds enter with their third sample", arguments: [1000, 3000])
  func slowAdvertisers(interval: Int64) {
    let listener = gateway()
    send(times(4, -40), to: listener, every: interval)
    #expect(listener.lines() == ["\(2 * interval) found bulb 1 entered"])
  }

  /// The first gap is over 5 s, and nobody knows yet that this is the interval: the filter starts anew with it.
  @Test("The window ends at 12 s: an advertiser of 7 s never has three samples in it")
  func windowCeiling() {
    let listener = gateway()
    send(times(40, -40), to: listener, every: 7000)
    #expect(listener.lines() == [])
    let fitting = gateway()
    send(times(4, -40), to: fitting, every: 5999)
    #expect(fitting.lines() == ["17997 found bulb 1 entered"])
  }

  @Test("Sixteen samples can be asked for")
  func manySamples() {
    let listener = gateway { $0.samplesMin = 16 }
    send(times(15, -40), to: listener)
    #expect(listener.lines() == [])
    send([-40], to: listener, from: 1500)
    #expect(listener.lines() == ["1500 found bulb 1 entered"])
  }

  @Test("A report and its scan response count once")
  func responsesAreNoSamples() {
    let listener = gateway()
    for step: Int64 in 0..<2 {
      listener.hear(1, -40, .made(by: company), at: 500 * step)
      listener.hear(response: AdvertisingPayload().name("Lumo"), of: 1, -40, at: 500 * step + 1)
    }
    #expect(listener.lines() == [])
    listener.hear(1, -40, .made(by: company), at: 1000)
    #expect(listener.lines() == ["1000 found bulb 1 entered"])
  }

  @Test(
    "Readings of 127 and out of range never pass and never enter the filter", arguments: [127, 21, 126, -128])
  func noReading(rssi: Int8) throws {
    let listener = gateway()
    send(times(20, rssi), to: listener)
    #expect(listener.lines() == [])
    #expect(listener.counters.reportsWithoutReading == 20)
    let device = try #require(listener.device(1))
    #expect(device.filteredRSSI == nil)
    #expect(device.signal.readingCount == 0)
  }

  @Test("The strongest and the weakest reading are readings")
  func extremes() {
    let listener = gateway()
    send([20, -127], to: listener)
    #expect(listener.counters.reportsWithoutReading == 0)
    #expect(listener.device(1)?.signal.readingCount == 2)
  }

  // MARK: Staying and leaving

  /// A gateway that a device has entered at 400 ms; its last reading was at 900 ms.
  private func entered(_ adjust: (inout GateSettings) -> Void = { _ in }) -> Listener {
    let listener = gateway(adjust)
    send(times(10, -40), to: listener)
    #expect(listener.lines() == ["400 found bulb 1 entered"])
    return listener
  }

  @Test("A level that jiggles inside the hysteresis causes no event", arguments: UInt64(1)...10)
  func jiggle(seed: UInt64) {
    let listener = entered()
    var dice = SeededGenerator(seed: seed)
    for step: Int64 in 0..<3000 {
      let reading = Int8(-58 + dice.number(below: 9))  // -58 ... -50
      listener.hear(1, reading, .made(by: company), at: 1000 + 100 * step)
    }
    #expect(listener.lines() == [], "seed \(seed)")
    #expect(listener.found(1) == ["bulb"])
  }

  @Test("Outside the gate the same jiggle causes no event either", arguments: UInt64(1)...10)
  func jiggleOutside(seed: UInt64) {
    let listener = gateway()
    var dice = SeededGenerator(seed: seed)
    for step: Int64 in 0..<3000 {
      listener.hear(1, Int8(-58 + dice.number(below: 8)), .made(by: company), at: 100 * step)  // -58 ... -51
    }
    #expect(listener.lines() == [], "seed \(seed)")
  }

  @Test("Steps across the whole hysteresis and back within 2 s cause no event")
  func shortAbsences() {
    let listener = entered()
    var now: Int64 = 1000
    for _ in 0..<20 {
      send(times(15, -75), to: listener, from: now)
      send(times(30, -50), to: listener, from: now + 1500)
      now += 4500
    }
    #expect(listener.lines() == [])
  }

  @Test("A device leaves 2 s after its level fell below -58, at that time and not with the next report")
  func leave() {
    let listener = entered()
    send([-59], to: listener, from: 1000)
    send(times(50, -90), to: listener, every: 100, from: 1100)
    let lost = listener.sightings()
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
    let listener = entered()
    send(times(6, -90), to: listener, from: 1000)  // below -58 within these
    listener.wait(until: 10_000)
    let lost = listener.sightings()
    #expect(lost.map(\.sighting.reason) == [.left])
    #expect((3000...3500).contains(lost[0].milliseconds))
  }

  @Test("After leaving a device enters anew")
  func again() {
    let listener = entered()
    send(times(40, -90), to: listener, from: 1000)
    send(times(40, -40), to: listener, from: 5000)
    #expect(listener.sightings().map(\.sighting.event) == [.lost, .found])
  }

  @Test("Silence ends a stay after 5 s, to the microsecond")
  func silence() {
    let listener = entered()
    listener.wait(until: 5899)
    #expect(listener.lines() == [])
    listener.wait(until: 6000)
    #expect(listener.lines() == ["5900 lost bulb 1 silence"])
  }

  @Test(
    "Silence of a slow advertiser is three of its intervals, at most 30 s",
    arguments: [
      (1000, 5000), (3000, 9000), (5000, 15_000),
    ])
  func silenceOfSlowAdvertisers(interval: Int64, patience: Int64) {
    let listener = gateway()
    send(times(4, -40), to: listener, every: interval)
    _ = listener.lines()
    listener.wait(until: 100_000)
    #expect(listener.lines() == ["\(3 * interval + patience) lost bulb 1 silence"])
  }

  @Test("Patience ends at 30 s")
  func silenceCeiling() {
    let listener = gateway { $0.sampleWindowMillisecondsMax = 100_000 }
    send(times(4, -40), to: listener, every: 11_000)
    #expect(listener.lines() == ["33000 found bulb 1 entered"])
    listener.wait(until: 200_000)
    #expect(listener.lines() == ["63000 lost bulb 1 silence"])
  }

  @Test("A slow advertiser that becomes a fast one is lost by its new interval")
  func shrinkingInterval() {
    let listener = gateway()
    send(times(5, -40), to: listener, every: 5000)  // 15 s of patience from 20 s on
    send(times(8, -40), to: listener, every: 100, from: 20_100)  // the last at 20,800
    _ = listener.lines()
    listener.wait(until: 60_000)
    #expect(listener.lines() == ["25800 lost bulb 1 silence"])
  }

  @Test("Reports without a reading do not keep a device inside")
  func silentReadings() {
    let listener = entered()
    send(times(80, 127), to: listener, from: 1000)
    #expect(listener.lines() == ["5900 lost bulb 1 silence"])
  }

  @Test("After a silence the filter starts anew")
  func filterReset() {
    let listener = entered()
    send(times(3, -90), to: listener, from: 6000)
    #expect(listener.lines() == ["5900 lost bulb 1 silence"])
    #expect(listener.device(1)?.signal.readingCount == 3)
    #expect(listener.device(1)?.filteredRSSI == -90)
  }

  @Test("A report at the very end of a silence starts the filter anew too")
  func filterResetAtTheBorder() {
    let listener = entered()
    send([-41], to: listener, from: 5900)
    #expect(listener.lines() == ["5900 lost bulb 1 silence"])
    #expect(listener.device(1)?.signal.readingCount == 1)
  }

  @Test("A scan response alone after a silence is a reading")
  func responseAfterSilence() {
    let listener = entered()
    listener.hear(response: AdvertisingPayload(), of: 1, -44, at: 20_000)
    #expect(listener.device(1)?.filteredRSSI == -44)
  }

  // MARK: Transmit power

  @Test("A claimed power over 0 dBm raises both thresholds by as much", arguments: [0, 4, 8, 20] as [Int8])
  func tightening(power: Int8) {
    let payload = AdvertisingPayload().manufacturerData(company, [0]).txPowerLevel(power)
    let outside = gateway()
    send(times(30, -51 + power), to: outside, payload)
    #expect(outside.lines() == [])
    let inside = gateway()
    send(times(10, -50 + power), to: inside, payload)
    #expect(inside.lines() == ["400 found bulb 1 entered"])
    send(times(100, -58 + power), to: inside, from: 1000, payload)
    #expect(inside.lines() == [])
    send(times(40, -59 + power), to: inside, from: 11_000, payload)
    #expect(inside.sightings().map(\.sighting.reason) == [.left])
  }

  @Test("A claimed power below 0 dBm loosens nothing", arguments: [-1, -20, -40] as [Int8])
  func noLoosening(power: Int8) {
    let payload = AdvertisingPayload().manufacturerData(company, [0]).txPowerLevel(power)
    let listener = gateway()
    send(times(50, -51), to: listener, payload)
    #expect(listener.lines() == [])
    send(times(20, -45), to: listener, from: 5000, payload)
    let found = listener.sightings()
    #expect(found.count == 1)
    #expect(found[0].sighting.pathLoss == Int16(power) - Int16(found[0].sighting.filteredRSSI ?? 0))
  }

  @Test("A claim outside -40...20 dBm is not believed", arguments: [-41, -128, 21, 126, 127] as [Int8])
  func unbelievable(power: Int8) {
    let listener = gateway()
    let payload = AdvertisingPayload().manufacturerData(company, [0]).txPowerLevel(power)
    send(times(5, -50), to: listener, payload)
    let found = listener.sightings()
    #expect(found.count == 1)
    #expect(found.first?.sighting.pathLoss == nil)
  }

  @Test("A claim in the extended header tightens like one in the payload")
  func headerClaim() {
    let listener = gateway()
    for step: Int64 in 0..<30 {
      let report = AirReport(
        extendedFrom: .device(1), set: 1, properties: .connectable, txPower: 8, rssi: -45, .made(by: company))
      listener.hear(report, at: 100 * step)
    }
    #expect(listener.lines() == [])
    #expect(listener.device(1)?.claimedTxPower == 8)
  }

  @Test("The integrator's transmit power decides on path loss, whatever the device claims")
  func itemTxPower() {
    for claim: Int8 in [-40, 0, 20] {
      let payload = AdvertisingPayload().manufacturerData(company, [0]).txPowerLevel(claim)
      let listener = gateway { $0.txPower = -20 }  // enter at 50 dB: -70 dBm; leave over 58 dB: below -78
      send(times(30, -71), to: listener, payload)
      #expect(listener.lines() == [])
      send(times(30, -69), to: listener, from: 3000, payload)
      let found = listener.sightings()
      #expect(found.map(\.sighting.event) == [.found])
      #expect(found.first?.sighting.pathLoss == 49)
      send(times(100, -78), to: listener, from: 6000, payload)
      #expect(listener.lines() == [])
      send(times(60, -79), to: listener, from: 16_000, payload)
      #expect(listener.sightings().map(\.sighting.reason) == [.left])
    }
  }

  @Test("The adapter's offset is added to every reading, and events give the reading as received")
  func offset() {
    let listener = Listener(.immediate(company), offset: 9)
    send(times(5, -59), to: listener)
    let found = listener.sightings()
    #expect(found.map(\.line) == ["400 found bulb 1 entered"])
    #expect(found.first?.sighting.rssi == -59)
    #expect(found.first?.sighting.filteredRSSI == -50)
    let deaf = Listener(.immediate(company), offset: -1)
    send(times(50, -50), to: deaf)
    #expect(deaf.lines() == [])
  }

  @Test("An offset cannot push a reading out of range")
  func offsetSaturates() {
    let loud = Listener(.immediate(company), offset: 100)
    send([0], to: loud)
    #expect(loud.device(1)?.filteredRSSI == 20)
    let quiet = Listener(.immediate(company), offset: -100)
    send([-60], to: quiet)
    #expect(quiet.device(1)?.filteredRSSI == -127)
  }

  // MARK: Overrides

  @Test("Every setting can be overridden for one item, and the others keep theirs")
  func overrides() {
    let strict = DisplayItem.immediate(company, "strict") {
      $0.enterRSSI = -40
      $0.leaveRSSI = -45
      $0.enterDwellMilliseconds = 1000
      $0.leaveDwellMilliseconds = 500
      $0.samplesMin = 8
    }
    let listener = Listener(.immediate(company, "plain"), strict)
    send(times(30, -44), to: listener)
    #expect(listener.lines() == ["400 found plain 1 entered"])
    send(times(30, -36), to: listener, from: 3000)
    let entered = listener.sightings()
    #expect(entered.map(\.item) == ["strict"])
    #expect(entered.map(\.milliseconds) == [4400])  // Over -40 with the fifth -36, and a second of dwell.
    send(times(30, -50), to: listener, from: 6000)
    let left = listener.sightings()
    #expect(left.map(\.item) == ["strict"])
    #expect(left.first?.sighting.reason == .left)
    #expect(listener.found(1) == ["plain"])
  }

  @Test("A shorter silence can be asked for")
  func shortSilence() {
    let listener = entered { $0.silenceMilliseconds = 1000 }
    listener.wait(until: 4000)
    #expect(listener.lines() == ["1900 lost bulb 1 silence"])
  }

  @Test("A short silence holds for a device that becomes fast, too")
  func shortSilenceOfShrinkingInterval() {
    let listener = gateway { $0.silenceMilliseconds = 500 }
    send(times(5, -40), to: listener, every: 1000)  // 3 s of patience
    send(times(8, -40), to: listener, every: 100, from: 4100)  // the last at 4,800
    _ = listener.lines()
    listener.wait(until: 60_000)
    #expect(listener.lines() == ["5300 lost bulb 1 silence"])
  }
}

extension Device {
  fileprivate var filteredRSSI: Int8? { signal.filteredRSSI }
}
