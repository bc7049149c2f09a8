// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// How one device has been heard: the level filter and the learned interval.
///
/// Levels are Q4: sixteenths of a decibel, so that the filter needs no floating point. The filter takes the median
/// of the last five readings (of an even number the weaker of the middle two), then an exponential average of
/// weight 1/4. The learned interval is the median of the last eight gaps (of an even number the longer).
public struct Signal: BitwiseCopyable, Sendable {
  /// Readings the median is taken of.
  static var medianCount: Int { 5 }
  /// Gaps the interval is learned from.
  static var gapCount: Int { 8 }
  /// A longer gap is an absence and teaches nothing about the interval.
  static var gapMillisecondsMax: UInt32 { 300_000 }

  /// Milliseconds of the last samples, in a ring at `sampleCount` modulo 16.
  private var times = InlineArray<16, UInt32>(repeating: 0)
  /// Samples since the row exists, with and without a reading.
  private var sampleCount: UInt32 = 0
  /// Bit i: the i-th newest sample had a reading.
  private var readingMask: UInt16 = 0
  /// The last eight readings, newest in the low octet.
  private var readings: UInt64 = 0
  /// Readings in the filter since it was last reset, saturating.
  public private(set) var readingCount: UInt16 = 0
  /// The filtered level in Q4; means nothing while `readingCount` is 0.
  public private(set) var level: Int16 = 0
  /// The last sample with a reading.
  public private(set) var lastReading = Instant(microseconds: 0)
  /// An advertising report was taken whose scan response belongs to the same sample.
  private var awaitsResponse = false

  init() {}

  /// The filtered level in whole dBm, or nil before the first reading.
  public var filteredRSSI: Int8? {
    readingCount == 0 ? nil : Int8(truncatingIfNeeded: (Int(level) + 8) >> 4)
  }

  /// What a report meant to the filter.
  enum Intake { case sample, completedSample, nothing }

  /// Takes one report. A scan response completes the sample of the report it answers: it counts only when that
  /// report was not heard, and lends its reading when that report had none.
  mutating func take(reading: Int8?, isResponse: Bool, at now: Instant) -> Intake {
    guard isResponse, awaitsResponse else {
      awaitsResponse = !isResponse
      addSample(reading: reading, at: now)
      return .sample
    }
    awaitsResponse = false
    guard readingMask & 1 == 0, let reading else { return .nothing }
    readingMask |= 1
    filter(reading, at: now)
    return .completedSample
  }

  private mutating func addSample(reading: Int8?, at now: Instant) {
    times[Int(sampleCount & 15)] = UInt32(truncatingIfNeeded: now.microseconds / 1000)
    sampleCount &+= 1
    readingMask <<= 1
    guard let reading else { return }
    readingMask |= 1
    filter(reading, at: now)
  }

  private mutating func filter(_ reading: Int8, at now: Instant) {
    readings = readings << 8 | UInt64(UInt8(bitPattern: reading))
    if readingCount < .max { readingCount &+= 1 }
    lastReading = now
    let median = Int16(readingCount >= 5 ? medianOfFive() : medianOfFew(Int(readingCount))) << 4
    level = readingCount == 1 ? median : level &+ ((median &- level) >> 2)
  }

  /// Forgets the level after a silence; the learned interval stays. A scan response that comes next answers a
  /// report that was not heard.
  mutating func resetFilter() {
    readingCount = 0
    level = 0
    awaitsResponse = false
  }

  private func reading(_ age: Int) -> Int8 {
    Int8(truncatingIfNeeded: Int64(bitPattern: readings) >> Int64(8 &* age))
  }

  /// A sorting network reduced to its middle output.
  private func medianOfFive() -> Int8 {
    let (a, b) = ordered(reading(0), reading(1))
    let (c, d) = ordered(reading(2), reading(3))
    let low = max(a, c)
    let high = min(b, d)
    let (e, f) = ordered(low, high)
    return max(e, min(f, reading(4)))
  }

  private func ordered(_ a: Int8, _ b: Int8) -> (Int8, Int8) { a < b ? (a, b) : (b, a) }

  /// The median of one to four readings: with two the weaker, with four the second weakest.
  private func medianOfFew(_ count: Int) -> Int8 {
    switch count {
    case 1: return reading(0)
    case 2: return min(reading(0), reading(1))
    case 3:
      let (low, high) = ordered(reading(0), reading(1))
      return max(low, min(high, reading(2)))
    default:
      let (a, b) = ordered(reading(0), reading(1))
      let (c, d) = ordered(reading(2), reading(3))
      return min(max(a, c), min(b, d))
    }
  }

  /// The median of the last eight gaps in milliseconds, or nil before the second sample.
  public var learnedMilliseconds: UInt32? {
    var sorted = InlineArray<8, UInt32>(repeating: 0)
    var count = 0
    let available = min(Int(sampleCount) - 1, Self.gapCount)
    guard available > 0 else { return nil }
    for age in 0..<available {
      let gap = time(age) &- time(age + 1)
      guard gap <= Self.gapMillisecondsMax else { continue }
      var place = count
      while place > 0, sorted[place - 1] > gap {
        sorted[place] = sorted[place - 1]
        place -= 1
      }
      sorted[place] = gap
      count += 1
    }
    return count == 0 ? nil : sorted[count / 2]
  }

  private func time(_ age: Int) -> UInt32 { times[(Int(sampleCount) - 1 - age) & 15] }

  /// Samples with a reading among the newest ones that are at most `milliseconds` old at `now`; counts to 16.
  public func readings(within milliseconds: Int64, at now: Instant) -> Int {
    let present = UInt32(truncatingIfNeeded: now.microseconds / 1000)
    var count = 0
    for age in 0..<min(Int(sampleCount), 16) {
      guard Int64(present &- time(age)) <= milliseconds else { break }
      count += Int(readingMask >> UInt16(age) & 1)
    }
    return min(count, Int(readingCount))
  }

  /// max(`floor`, `factor` x the learned interval), at most `ceiling`; all in milliseconds.
  public func patience(floor: Int32, factor: Int64, ceiling: Int32) -> Int64 {
    let learned = Int64(learnedMilliseconds ?? 0) * factor
    return min(max(Int64(floor), learned), Int64(ceiling))
  }
}
