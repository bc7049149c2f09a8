// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing

import struct VirtualRadio.SeededGenerator

@testable import Discovery

@Suite("Signal")
struct SignalTests {
  /// A signal that took one reading every 100 ms.
  private func signal(_ readings: Int8?...) -> Signal {
    var signal = Signal()
    for (index, reading) in readings.enumerated() {
      _ = signal.add(reading: reading, isResponse: false, at: .milliseconds(100 * Int64(index)))
    }
    return signal
  }

  private func signal(gaps: Int64...) -> Signal {
    var signal = Signal()
    var now: Int64 = 1000
    for gap in [0] + gaps {
      now += gap
      _ = signal.add(reading: -50, isResponse: false, at: .milliseconds(now))
    }
    return signal
  }

  // MARK: The filter

  @Test("Without a reading there is no level")
  func noLevel() {
    #expect(Signal().filteredRSSI == nil)
    #expect(signal(nil, nil).filteredRSSI == nil)
  }

  @Test("The first reading is the level")
  func firstReading() { #expect(signal(-47).level == -47 * 16) }

  @Test("Of two readings the weaker one is the median")
  func medianOfTwo() {
    #expect(signal(-60, -40).level == -60 * 16)  // -60, then median -60
    #expect(signal(-40, -60).level == -40 * 16 - 80)  // a quarter of the way from -40 to -60: 5 dB
  }

  @Test("Of four readings the second weakest is the median")
  func medianOfFour() {
    // Medians: -40, -40 (weaker of -40, -40), -40, then of -70 -60 -40 -40: -60.
    let before = signal(-40, -40, -70).level
    #expect(before == -40 * 16)
    #expect(signal(-40, -40, -70, -60).level == before + ((-60 * 16 - before) >> 2))
  }

  @Test("The median of five drops one deep fade and one flash")
  func medianOfFive() {
    #expect(signal(-50, -50, -50, -50, -50, -110, 20).level == -50 * 16)
  }

  @Test("The average moves by a quarter of the difference, rounded down")
  func average() {
    // From -50 towards -51: 16 sixteenths lie between, a quarter is 4, then 3, 2, 1 (floor of 7/4) and on.
    var level = -50 * 16
    var signal = Signal()
    _ = signal.add(reading: -50, isResponse: false, at: .milliseconds(0))
    for step in 1...20 {
      _ = signal.add(reading: -51, isResponse: false, at: .milliseconds(100 * Int64(step)))
      level += Int((Double(-51 * 16 - level) / 4).rounded(.down))
      #expect(signal.level == level)
    }
    #expect(level == -51 * 16)
  }

  @Test("A rising level stops three sixteenths short of a steady reading, a falling one reaches it")
  func floorOfTheShift() {
    var rising = Signal()
    var falling = Signal()
    _ = rising.add(reading: -90, isResponse: false, at: .milliseconds(0))
    _ = falling.add(reading: -20, isResponse: false, at: .milliseconds(0))
    for step in 1...60 {
      _ = rising.add(reading: -50, isResponse: false, at: .milliseconds(100 * Int64(step)))
      _ = falling.add(reading: -50, isResponse: false, at: .milliseconds(100 * Int64(step)))
    }
    #expect(rising.level == -50 * 16 - 3)
    #expect(falling.level == -50 * 16)
    #expect(rising.filteredRSSI == -50)
  }

  @Test("A level prints as the nearest dBm, halves towards the stronger")
  func rounding() {
    // One step of the average from -50 towards a weaker median makes a quarter of the difference in sixteenths.
    #expect(signal(-50, -51).level == -50 * 16 - 4)
    #expect(signal(-50, -51).filteredRSSI == -50)
    #expect(signal(-50, -52).level == -50 * 16 - 8)
    #expect(signal(-50, -52).filteredRSSI == -50)
    #expect(signal(-50, -53).level == -50 * 16 - 12)
    #expect(signal(-50, -53).filteredRSSI == -51)
  }

  @Test("The filter equals its definition over any readings", arguments: UInt64(1)...20)
  func definition(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    var signal = Signal()
    var readings: [Int] = []
    var level = 0
    for step in 0..<300 {
      let reading = dice.number(below: 148) - 127
      readings.append(reading)
      let sorted = readings.suffix(5).sorted()
      let median = sorted[(sorted.count - 1) / 2] * 16
      level = readings.count == 1 ? median : level + ((median - level) >> 2)
      _ = signal.add(reading: Int8(reading), isResponse: false, at: .milliseconds(Int64(step)))
      #expect(Int(signal.level) == level, "seed \(seed), step \(step)")
    }
  }

  @Test("After a reset the next reading is the first")
  func reset() {
    var signal = signal(-50, -50, -50)
    signal.resetFilter()
    #expect(signal.filteredRSSI == nil)
    #expect(signal.readingCount == 0)
    _ = signal.add(reading: -80, isResponse: false, at: .milliseconds(9000))
    #expect(signal.level == -80 * 16)
    _ = signal.add(reading: -60, isResponse: false, at: .milliseconds(9100))
    #expect(signal.level == -80 * 16)  // The weaker of two; nothing of before the reset is left.
  }

  // MARK: Samples

  @Test("A report and its scan response are one sample, with the report's reading")
  func reportAndResponse() {
    var signal = Signal()
    #expect(signal.add(reading: -50, isResponse: false, at: .milliseconds(0)) == .sample)
    #expect(signal.add(reading: -70, isResponse: true, at: .milliseconds(1)) == .nothing)
    #expect(signal.readingCount == 1)
    #expect(signal.level == -50 * 16)
    #expect(signal.learnedMilliseconds == nil)
  }

  @Test("A scan response lends its reading to a report that has none")
  func responseLends() {
    var signal = Signal()
    #expect(signal.add(reading: nil, isResponse: false, at: .milliseconds(0)) == .sample)
    #expect(signal.add(reading: -70, isResponse: true, at: .milliseconds(1)) == .completedSample)
    #expect(signal.readingCount == 1)
    #expect(signal.readings(within: 100, at: .milliseconds(1)) == 1)
  }

  @Test("A report and a scan response without readings are one sample without a reading")
  func neitherReads() {
    var signal = Signal()
    #expect(signal.add(reading: nil, isResponse: false, at: .milliseconds(0)) == .sample)
    #expect(signal.add(reading: nil, isResponse: true, at: .milliseconds(1)) == .nothing)
    #expect(signal.readingCount == 0)
    #expect(signal.learnedMilliseconds == nil)
  }

  @Test("A scan response whose report was not heard is a sample of its own")
  func loneResponse() {
    var signal = Signal()
    #expect(signal.add(reading: -70, isResponse: true, at: .milliseconds(0)) == .sample)
    #expect(signal.add(reading: -71, isResponse: true, at: .milliseconds(100)) == .sample)
    #expect(signal.add(reading: -50, isResponse: false, at: .milliseconds(200)) == .sample)
    #expect(signal.add(reading: -72, isResponse: true, at: .milliseconds(201)) == .nothing)
    #expect(signal.add(reading: -73, isResponse: true, at: .milliseconds(301)) == .sample)
    #expect(signal.readingCount == 4)
  }

  @Test("A scan response after a silence does not belong to the report before it")
  func responseAfterSilence() {
    var signal = signal(-50, -50)
    signal.resetFilter()
    #expect(signal.add(reading: -60, isResponse: true, at: .milliseconds(20_000)) == .sample)
    #expect(signal.filteredRSSI == -60)
  }

  // MARK: The learned interval

  @Test("One sample teaches no interval, two teach their gap")
  func firstGap() {
    #expect(signal(gaps: 0).learnedMilliseconds == 0)
    #expect(signal(-50).learnedMilliseconds == nil)
    #expect(signal(gaps: 1000).learnedMilliseconds == 1000)
  }

  @Test("The interval is the median of the last eight gaps, of an even number the longer")
  func learnedMedian() {
    #expect(signal(gaps: 100, 300).learnedMilliseconds == 300)
    #expect(signal(gaps: 100, 300, 200).learnedMilliseconds == 200)
    #expect(signal(gaps: 1, 2, 3, 4, 5, 6, 7, 8).learnedMilliseconds == 5)
    #expect(signal(gaps: 9000, 9000, 9000, 1, 2, 3, 4, 5, 6, 7, 8).learnedMilliseconds == 5)
  }

  @Test("A gap over 300 s is an absence and teaches nothing")
  func absence() {
    #expect(signal(gaps: 300_001).learnedMilliseconds == nil)
    #expect(signal(gaps: 300_000).learnedMilliseconds == 300_000)
    #expect(signal(gaps: 100, 400_000, 100).learnedMilliseconds == 100)
  }

  @Test("Samples without a reading teach the interval too")
  func silentSamplesTeach() { #expect(signal(nil, nil, nil).learnedMilliseconds == 100) }

  @Test("A scan response does not halve the interval")
  func responseTeachesNothing() {
    var signal = Signal()
    for step: Int64 in 0..<9 {
      _ = signal.add(reading: -50, isResponse: false, at: .milliseconds(1000 * step))
      _ = signal.add(reading: -50, isResponse: true, at: .milliseconds(1000 * step + 1))
    }
    #expect(signal.learnedMilliseconds == 1000)
  }

  @Test("Patience is a multiple of the interval between its floor and its ceiling")
  func patience() {
    #expect(signal(gaps: 100).patience(floor: 5000, factor: 3, ceiling: 30_000) == 5000)
    #expect(signal(gaps: 3000).patience(floor: 5000, factor: 3, ceiling: 30_000) == 9000)
    #expect(signal(gaps: 60_000).patience(floor: 5000, factor: 3, ceiling: 30_000) == 30_000)
    #expect(signal(-50).patience(floor: 5000, factor: 3, ceiling: 30_000) == 5000)
  }

  @Test("Readings in a window count samples that had one, its border included")
  func window() {
    let signal = signal(-50, nil, -50, -50)  // at 0, 100, 200, 300 ms
    #expect(signal.readings(within: 300, at: .milliseconds(300)) == 3)
    #expect(signal.readings(within: 299, at: .milliseconds(300)) == 2)
    #expect(signal.readings(within: 2000, at: .milliseconds(2250)) == 1)
    #expect(signal.readings(within: 2000, at: .milliseconds(2301)) == 0)
  }

  @Test("Readings before a reset do not count")
  func windowAfterReset() {
    var signal = signal(-50, -50, -50)
    signal.resetFilter()
    _ = signal.add(reading: -50, isResponse: false, at: .milliseconds(300))
    #expect(signal.readings(within: 2000, at: .milliseconds(300)) == 1)
  }
}

extension Instant {
  static func milliseconds(_ count: Int64) -> Self { Self(microseconds: count * 1000) }
}

@Suite("Readings that wait to be filtered")
struct WaitingReadingsTests {
  /// The level of a signal that no item followed, and of one that was followed all the time, in Q4.
  private func levels(_ readings: [Int8]) -> (waiting: Int, followed: Int) {
    var waiting = Signal()
    var followed = Signal()
    for (index, reading) in readings.enumerated() {
      let time = Instant(microseconds: Int64(index) * 100_000)
      _ = waiting.add(reading: reading, isResponse: false, isFollowing: false, at: time)
      _ = followed.add(reading: reading, isResponse: false, at: time)
    }
    return (Int(waiting.level), Int(followed.level))
  }

  @Test("Up to 28 of them give exactly the level of a signal that was followed", arguments: UInt64(1)...20)
  func exact(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    for count in 1...28 {
      let levels = levels((0..<count).map { _ in Int8(-100 + dice.number(below: 80)) })
      #expect(levels.waiting == levels.followed, "\(count) readings")
    }
  }

  @Test("More of them give a level within a quarter of a decibel", arguments: UInt64(1)...20)
  func bounded(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    for count in 29...120 {
      let levels = levels((0..<count).map { _ in Int8(-127 + dice.number(below: 148)) })
      #expect(abs(levels.waiting - levels.followed) <= 4, "\(count) readings")
    }
    // The hardest case: the filter stood as far away as it can before what is kept begins.
    for count in 33...70 {
      let far = [Int8](repeating: 20, count: count - 32) + [Int8](repeating: -127, count: 32)
      let levels = levels(far)
      #expect(abs(levels.waiting - levels.followed) <= 4, "\(count) readings")
    }
  }

  @Test("A filter that follows later continues from there")
  func following() {
    var signal = Signal()
    for index in 0..<6 {
      _ = signal.add(
        reading: -60, isResponse: false, isFollowing: false, at: Instant(microseconds: Int64(index) * 100_000)
      )
    }
    _ = signal.add(reading: -40, isResponse: false, at: Instant(microseconds: 700_000))
    #expect(signal.level == -60 * 16)
    #expect(signal.readingCount == 7)
  }
}
