// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// How one device has been heard: the level filter, the learned interval and the rhythm.
///
/// Levels are Q4: sixteenths of a decibel, so that the filter needs no floating point. The filter takes the median
/// of the last five readings (of an even number the weaker of the middle two), then an exponential average of
/// weight 1/4. The learned interval is the median of the last eight gaps (of an even number the longer).
///
/// Readings wait until the level is asked for. The last 32 are kept. Before more than 28 wait they are filtered, if the level
/// may decide something; else the filter restarts later at the oldest of them, and the level is within a quarter of a
/// decibel of what it would have been.
public struct Signal: BitwiseCopyable, Sendable {
  /// Gaps the interval is learned from.
  static var gapCount: Int { 8 }
  /// Readings that may wait without a loss: the median of the oldest needs four before it.
  private static var waitingMax: Int { 28 }
  /// A longer gap is an absence and teaches nothing about the interval.
  static var gapMillisecondsMax: UInt32 { 300_000 }

  /// Microseconds of the last samples, in a ring at `sampleCount` modulo 16.
  private var times = InlineArray<16, Int64>(repeating: 0)
  /// Readings since the filter was last reset. So wide that no device lives to see it overflow: counting them costs
  /// one instruction.
  private var readingTotal: UInt64 = 0
  /// Those of them that are filtered; the others wait.
  private var settledTotal: UInt64 = 0
  /// The last sample with a reading.
  public private(set) var lastReading = Instant(microseconds: 0)
  /// How long it slept between its bursts. It is kept only while some item matches the device.
  public private(set) var rhythm = Rhythm()
  /// Samples since the row exists, with and without a reading.
  private var sampleCount: UInt32 = 0
  /// Bit i: the i-th newest sample had a reading.
  private var readingMask: UInt16 = 0
  /// The filtered level in Q4 but for the readings that wait.
  private var settledLevel: Int16 = 0
  /// The last readings, in a ring at `readingTotal` modulo 32.
  private var readings = InlineArray<32, Int8>(repeating: 0)
  /// An advertising report was taken whose scan response belongs to the same sample.
  private var awaitsResponse = false
  /// The deadline of the row is no later than its matches can end, whatever the learned interval becomes. It holds until the
  /// deadline is put off, the rhythm changes, or a match begins.
  var isDeadlineEarly = false

  init() {}

  /// Readings in the filter since it was last reset, saturating.
  public var readingCount: UInt16 { UInt16(clamping: readingTotal) }

  @inline(__always)
  var hasReading: Bool { readingTotal > 0 }

  /// The filtered level in Q4; means nothing while `readingCount` is 0.
  public var level: Int16 {
    guard settledTotal < readingTotal else { return settledLevel }
    var settled = self
    return settled.settleLevel()
  }

  /// Whether the newest reading may bring the filtered level above one, in Q4. It does not when it is no stronger itself: a
  /// reading that was has been judged when it came.
  @inline(__always)
  func mayRise(above level: Int16) -> Bool { settledLevel > level || Int16(reading(0)) << 4 > level }

  /// The filtered level in whole dBm, or nil before the first reading.
  public var filteredRSSI: Int8? {
    readingCount == 0 ? nil : Int8(truncatingIfNeeded: (Int(level) + 8) >> 4)
  }

  /// How the filter treated a report.
  enum Intake { case sample, completedSample, nothing }

  /// Adds one report. `isFollowing` says that the level may decide something.
  ///
  /// A scan response completes the sample of the report it answers: it counts only when that report was not heard, and
  /// lends its reading when that report had none.
  @inline(__always)
  mutating func add(reading: Int8?, isResponse: Bool, isFollowing: Bool = true, at now: Instant) -> Intake {
    guard isResponse, awaitsResponse else {
      awaitsResponse = !isResponse
      addSample(reading: reading, isFollowing, at: now)
      return .sample
    }
    awaitsResponse = false
    guard readingMask & 1 == 0, let reading else { return .nothing }
    readingMask |= 1
    filter(reading, isFollowing, at: now)
    return .completedSample
  }

  @inline(__always)
  private mutating func addSample(reading: Int8?, _ isFollowing: Bool, at now: Instant) {
    times[Int(sampleCount & 15)] = now.microseconds
    sampleCount &+= 1
    readingMask <<= 1
    guard let reading else { return }
    readingMask |= 1
    filter(reading, isFollowing, at: now)
  }

  @inline(__always)
  private mutating func filter(_ reading: Int8, _ isFollowing: Bool, at now: Instant) {
    readings[Int(truncatingIfNeeded: readingTotal & 31)] = reading
    readingTotal &+= 1
    lastReading = now
    if isFollowing, readingTotal &- settledTotal >= UInt64(Self.waitingMax) { settle() }
  }

  /// The level after the readings that wait are filtered.
  @inline(__always)
  mutating func settleLevel() -> Int16 {
    if settledTotal < readingTotal { settle() }
    return settledLevel
  }

  /// Filters the readings that wait: from where the filter stands when the median has all it needs, else from the
  /// oldest reading that is kept. The first way is taken report by report, the second when an item starts to match.
  mutating func settle() {
    var known = Int(settledTotal)
    let count = min(Int(readingTotal) - known, 32)
    settledTotal = readingTotal
    if count > Self.waitingMax { known = 0 }
    var waiting = count
    while waiting > 0, known < 4 {
      known += 1
      waiting -= 1
      let median = Int16(median(age: waiting, of: known)) << 4
      settledLevel = known == 1 ? median : settledLevel &+ ((median &- settledLevel) >> 2)
    }
    if waiting > 0 { settle(newest: waiting) }
  }

  /// Filters the newest `count` readings, each of which has four before it. Two of the pairs that a median compares were
  /// compared for the medians before it.
  @inline(never)
  private mutating func settle(newest count: Int) {
    var level = Int(settledLevel)
    var previous = Int(reading(count))
    var (low, high) = ordered(previous, Int(reading(count &+ 1)))
    var (lowBefore, highBefore) = ordered(Int(reading(count &+ 1)), Int(reading(count &+ 2)))
    for age in (0..<count).reversed() {
      let newest = Int(reading(age))
      let pair = ordered(newest, previous)
      // A sorting network reduced to its middle output.
      let middle = ordered(max(pair.0, lowBefore), min(pair.1, highBefore))
      let median = max(middle.0, min(middle.1, Int(reading(age &+ 4))))
      level &+= (median &<< 4 &- level) &>> 2
      (lowBefore, highBefore) = (low, high)
      (low, high) = pair
      previous = newest
    }
    settledLevel = Int16(truncatingIfNeeded: level)
  }

  /// Forgets the level after a silence; the learned interval stays. A scan response that comes next belongs to
  /// a report that was not heard.
  mutating func resetFilter() {
    readingTotal = 0
    settledTotal = 0
    settledLevel = 0
    awaitsResponse = false
  }

  /// Moves the times of all samples on, so that a time in which the radio did not listen is no gap.
  mutating func skip(microseconds: Int64) {
    for place in 0..<16 { times[place] &+= microseconds }
    rhythm.skip(microseconds: microseconds)
    lastReading = Instant(microseconds: lastReading.microseconds &+ microseconds)
  }

  /// Moves every level by a number of decibels, as though each reading had been stronger by it; within -127...20.
  mutating func shift(by decibels: Int) {
    for place in 0..<32 { readings[place] = Int8(max(-127, min(20, Int(readings[place]) &+ decibels))) }
    settledLevel = Int16(max(-127 << 4, min(20 << 4, Int(settledLevel) &+ decibels << 4)))
  }

  /// The median of `count` readings, one to four, the newest of which is `age` readings old: of two the weaker, of
  /// four the second weakest.
  private func median(age: Int, of count: Int) -> Int8 {
    let (a, b) = ordered(reading(age), reading(age + 1))
    let (c, d) = ordered(reading(age + 2), reading(age + 3))
    switch count {
    case 1: return reading(age)
    case 2: return a
    case 3: return max(a, min(b, reading(age + 2)))
    default: return min(max(a, c), min(b, d))
    }
  }

  @inline(__always)
  private func reading(_ age: Int) -> Int8 {
    readings[Int(truncatingIfNeeded: (readingTotal &- 1 &- UInt64(truncatingIfNeeded: age)) & 31)]
  }

  @inline(__always)
  private func ordered<Level: Comparable>(_ a: Level, _ b: Level) -> (Level, Level) {
    (min(a, b), max(a, b))
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

  /// Restores a rhythm that is known from before, unless one was learned since.
  mutating func restoreRhythm(_ milliseconds: UInt32, since start: Instant) {
    rhythm.restore(milliseconds, since: start)
  }

  /// Lets the rhythm learn the pause that a sample ended, of a device that was first heard at `start`.
  mutating func learnPause(since start: Instant, at now: Instant) {
    if let (from, to) = gap(0), to == now { rhythm.note(gap: to.milliseconds(since: from), endingAt: to) }
    rhythm.refresh(heardSince: start, at: now)
  }

  /// Lets the rhythm learn the pauses among the last samples. Those that began before `first` teach nothing: the radio was
  /// away.
  mutating func learnPauses(since first: Instant, heardSince start: Instant, at now: Instant) {
    for age in (0..<15).reversed() {
      guard let (from, to) = gap(age), from >= first, to > rhythm.lastEnd else { continue }
      rhythm.note(gap: to.milliseconds(since: from), endingAt: to)
    }
    rhythm.refresh(heardSince: start, at: now)
  }

  /// The gap before a sample, `age` samples before the newest; nil when it is not known.
  private func gap(_ age: Int) -> (from: Instant, to: Instant)? {
    let newest = Int(sampleCount) - 1
    guard age < 15, age < newest else { return nil }
    return (
      Instant(microseconds: times[(newest - age - 1) & 15]), Instant(microseconds: times[(newest - age) & 15])
    )
  }

  /// Milliseconds of a sample, `age` samples before the newest.
  private func time(_ age: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: times[(Int(sampleCount) - 1 - age) & 15] / 1000)
  }

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
