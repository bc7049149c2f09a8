// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Setup
import Testing
import VirtualRadio

/// Tests that listen to one advertiser of one gated item.
protocol GateTesting {}

extension GateTesting {
  var company: UInt16 { 0x0EEE }

  func gateway(_ adjust: (inout GateSettings) -> Void = { _ in }) -> DataPathHarness {
    DataPathHarness(.immediate(company, "bulb", adjust))
  }

  /// One advertiser that sends these readings from `start` on.
  func send(
    _ readings: [Int8], to harness: DataPathHarness, every interval: Int64 = 100, from start: Int64 = 0,
    _ payload: AdvertisingPayload? = nil
  ) {
    for (index, reading) in readings.enumerated() {
      harness.hear(1, reading, payload ?? .made(by: company), at: start + interval * Int64(index))
    }
  }

  func times(_ count: Int, _ reading: Int8) -> [Int8] { [Int8](repeating: reading, count: count) }

  /// A gateway that a device has entered at 400 ms; its last reading was at 900 ms.
  func entered(_ adjust: (inout GateSettings) -> Void = { _ in }) -> DataPathHarness {
    let harness = gateway(adjust)
    send(times(10, -40), to: harness)
    #expect(harness.lines() == ["400 found bulb 1 entered"])
    return harness
  }
}

@Suite("Entering the immediate gate")
struct GateTests: GateTesting {
  @Test("A device enters once its level was high enough for 400 ms, with the sample that finds it so")
  func enterDwell() {
    let harness = gateway()
    send(times(4, -50), to: harness)
    #expect(harness.lines() == [])
    send([-50], to: harness, from: 399)
    #expect(harness.lines() == [])
    send([-50], to: harness, from: 400)
    #expect(harness.lines() == ["400 found bulb 1 entered"])
  }

  @Test(
    "A level that falls below the threshold does not enter, and one that rises to exactly the threshold does")
  func enterThreshold() {
    let harness = gateway()
    // -50 and then a median of -51: -50.25, and -50.4 and further down with each -51.
    send([-50] + times(100, -51), to: harness)
    #expect(harness.lines() == [])
    // The filter rounds down: it stops at -50 3/16.
    send(times(100, -50), to: harness, from: 10_100)
    #expect(harness.device(1).map { Int($0.signal.level) } == -803)
    #expect(harness.sightings().map(\.sighting.reason) == [.entered])
  }

  @Test("A steady level of one decibel below the threshold never enters")
  func belowThreshold() {
    let harness = gateway()
    send([-60] + times(500, -51), to: harness)
    #expect(harness.lines() == [])
  }

  @Test("A dip below the threshold restarts the dwell")
  func dipRestartsDwell() {
    let harness = gateway()
    // Five times -50, of which the fifth would enter at 400 ms, but the two before pull the level down.
    send([-50, -50, -60, -60, -60, -60, -50], to: harness)
    #expect(harness.lines() == [])
    send(times(20, -40), to: harness, from: 700)
    let lines = harness.sightings()
    #expect(lines.count == 1)
    #expect(lines[0].milliseconds >= 1100)
  }

  @Test("Two samples are too few however far apart, the third enters")
  func samples() {
    let harness = gateway()
    send([-40, -40], to: harness, every: 600)
    #expect(harness.lines() == [])
    send([-40], to: harness, from: 1200)
    #expect(harness.lines() == ["1200 found bulb 1 entered"])
  }

  @Test("Three samples must lie in 2 s while the interval is short")
  func sampleWindow() {
    let harness = gateway()
    send(times(9, -55), to: harness)  // Teaches 100 ms; the last at 800 ms.
    send(times(8, -20), to: harness, every: 1001, from: 1801)
    // The third -20 at 3803 lifts the level to -46. At 4804, two samples are in 2 s, but half of the last eight gaps
    // are longer than a second, and the window becomes 4 s.
    #expect(harness.lines() == ["4804 found bulb 1 entered"])
    let twice = gateway { $0.sampleWindowMillisecondsMax = 2000 }
    send(times(9, -55), to: twice)
    send(times(30, -20), to: twice, every: 1001, from: 1801)
    #expect(twice.lines() == [])
  }

  @Test("Advertisers of one and three seconds enter with their third sample", arguments: [1000, 3000])
  func slowAdvertisers(interval: Int64) {
    let harness = gateway()
    send(times(4, -40), to: harness, every: interval)
    #expect(harness.lines() == ["\(2 * interval) found bulb 1 entered"])
  }

  /// The first gap is over 5 s, and it is not known yet that this is the interval: the filter restarts with it.
  @Test("The window ends at 12 s: an advertiser of 7 s never has three samples in it")
  func windowCeiling() {
    let harness = gateway()
    send(times(40, -40), to: harness, every: 7000)
    #expect(harness.lines() == [])
    let fitting = gateway()
    send(times(4, -40), to: fitting, every: 5999)
    #expect(fitting.lines() == ["17997 found bulb 1 entered"])
  }

  @Test("Sixteen samples can be asked for")
  func manySamples() {
    let harness = gateway { $0.samplesMin = 16 }
    send(times(15, -40), to: harness)
    #expect(harness.lines() == [])
    send([-40], to: harness, from: 1500)
    #expect(harness.lines() == ["1500 found bulb 1 entered"])
  }

  @Test("A report and its scan response count once")
  func responsesAreNoSamples() {
    let harness = gateway()
    for step: Int64 in 0..<2 {
      harness.hear(1, -40, .made(by: company), at: 500 * step)
      harness.hear(response: AdvertisingPayload().name("Lumo"), of: 1, -40, at: 500 * step + 1)
    }
    #expect(harness.lines() == [])
    harness.hear(1, -40, .made(by: company), at: 1000)
    #expect(harness.lines() == ["1000 found bulb 1 entered"])
  }

  @Test(
    "Readings of 127 and out of range never pass and never enter the filter", arguments: [127, 21, 126, -128])
  func noReading(rssi: Int8) throws {
    let harness = gateway()
    send(times(20, rssi), to: harness)
    #expect(harness.lines() == [])
    #expect(harness.counters.reportsWithoutReading == 20)
    let device = try #require(harness.device(1))
    #expect(device.filteredRSSI == nil)
    #expect(device.signal.readingCount == 0)
  }

  @Test("The strongest and the weakest reading are readings")
  func extremes() {
    let harness = gateway()
    send([20, -127], to: harness)
    #expect(harness.counters.reportsWithoutReading == 0)
    #expect(harness.device(1)?.signal.readingCount == 2)
  }
}

extension Device {
  fileprivate var filteredRSSI: Int8? { signal.filteredRSSI }
}
