// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The pauses between a device's bursts: many devices wake up, send some copies within a second, and sleep for a minute or
/// an hour.
///
/// A pause is a gap of 1 s to 26 h between two receptions. It counts until 16 times its own length has passed since it ended.
/// Capacity: 16; the shortest gives way, because a device that is awake may send with gaps of a second as well.
public struct Rhythm: BitwiseCopyable, Sendable {
  static var pauseMilliseconds: ClosedRange<Int64> { 1000...26 * 3_600_000 }
  static var capacity: Int { 16 }
  /// What ``milliseconds`` may be while some pause counts: a pause is rounded up.
  public static var knownMilliseconds: ClosedRange<UInt32> {
    let longest = Pause(milliseconds: pauseMilliseconds.upperBound, ended: 0).milliseconds
    return UInt32(pauseMilliseconds.lowerBound)...UInt32(longest)
  }
  /// While the rhythm is unknown, a device is lost after this.
  static var unknownPatienceMilliseconds: Int64 { 300_000 }
  /// A device that was heard for less, and whose pauses are fewer than two, has no known rhythm.
  static var acquaintanceMicroseconds: Int64 { 30_000_000 }
  /// From this many pauses on, three of the longest are enough to call a device lost; four before.
  private static var pausesForThree: Int { 8 }

  /// A floating-point length, whose unit measures also when the pause ended: so an age of up to 32 lengths is known.
  private struct Pause: BitwiseCopyable {
    /// The length in units, below 2,048 and rounded up, and above it, from bit 11 on, the exponent of the unit.
    let length: UInt16
    /// When the pause ended, in units modulo 65,536.
    let ended: UInt16

    static var none: Self { Self(length: 0, ended: 0) }

    init(milliseconds: Int64, ended: Int64) {
      let shift = max(0, 53 - milliseconds.leadingZeroBitCount)
      let exponent = (milliseconds + (1 << shift) - 1) >> shift < 2048 ? shift : shift + 1
      let units = (milliseconds + (1 << exponent) - 1) >> exponent
      self.init(
        length: UInt16(truncatingIfNeeded: exponent << 11 | Int(units)),
        ended: UInt16(truncatingIfNeeded: ended >> exponent))
    }

    private init(length: UInt16, ended: UInt16) {
      self.length = length
      self.ended = ended
    }

    private var exponent: Int64 { Int64(length >> 11) }
    private var units: Int64 { Int64(length & 2047) }
    var milliseconds: Int64 { units << exponent }

    /// For how long the pause still counts, in milliseconds; 0 or less when it does not. Its age is below 32 times its
    /// length, or `sinceLastPause` alone is 16 times it.
    func remaining(at now: Int64, sinceLastPause: Int64) -> Int64 {
      guard sinceLastPause < 16 * milliseconds else { return 0 }
      let age = Int64(UInt16(truncatingIfNeeded: now >> exponent) &- ended)
      return (16 * units - age) << exponent - now & (1 << exponent - 1)
    }
  }

  private var pauses = InlineArray<16, Pause>(repeating: .none)
  /// When the last pause ended.
  private(set) var lastEnd = Instant(microseconds: .min / 2)
  /// When the next of those that count will not count any more.
  private var refreshDue = Instant(microseconds: .max)
  /// The longest of the pauses that count, in milliseconds, and how many they are: as of the last refresh.
  public private(set) var milliseconds: UInt32 = 0
  public private(set) var pauseCount: UInt8 = 0
  private var isAcquainted = false
  /// The slot after the one that was filled last: of equal pauses the oldest gives way.
  private var hand: UInt8 = 0

  init() {}

  /// Whether the device was heard for too short a time to know whether it pauses.
  @inline(__always)
  public var isUnknown: Bool { pauseCount < 2 && !isAcquainted }

  /// The silence after which a device with this rhythm is lost, in milliseconds, without the floor that its item adds.
  var patience: Int64 { Int64(milliseconds) * (pauseCount < Self.pausesForThree ? 4 : 3) }

  /// Adds the gap between two receptions if it is a pause.
  @inline(__always)
  mutating func note(gap milliseconds: Int64, endingAt end: Instant) {
    if milliseconds >= Self.pauseMilliseconds.lowerBound { notePause(milliseconds, endingAt: end) }
  }

  @inline(never)
  private mutating func notePause(_ milliseconds: Int64, endingAt end: Instant) {
    guard Self.pauseMilliseconds.contains(milliseconds) else { return }
    addPause(milliseconds, endingAt: end)
  }

  /// Restores what is known from before, as if two pauses of this length had just ended, unless some pause was noted
  /// since. A length that no pause has means that nothing is known.
  mutating func restore(_ milliseconds: UInt32, since start: Instant) {
    guard pauseCount == 0, Self.knownMilliseconds.contains(milliseconds) else { return }
    for _ in 0..<2 { addPause(Int64(milliseconds), endingAt: start) }
  }

  private mutating func addPause(_ milliseconds: Int64, endingAt end: Instant) {
    if end >= refreshDue { forgetOldPauses(at: end.microseconds / 1000) }
    lastEnd = end
    let present = end.microseconds / 1000
    let pause = Pause(milliseconds: milliseconds, ended: present)
    let slot = shortest
    guard pauses[slot].milliseconds <= pause.milliseconds else { return }
    if pauses[slot].milliseconds == 0 { pauseCount += 1 }
    pauses[slot] = pause
    hand = UInt8((slot + 1) % Self.capacity)
    self.milliseconds = max(self.milliseconds, UInt32(truncatingIfNeeded: pause.milliseconds))
    let remaining = pause.remaining(at: present, sinceLastPause: 0)
    refreshDue = min(refreshDue, Instant(microseconds: present * 1000).advanced(milliseconds: remaining))
  }

  /// The slot of the shortest pause, or a free one. Without the span all pauses would be copied for each.
  private var shortest: Int {
    let pauses = pauses.span
    var (slot, shortest) = (Int(hand), Int(hand))
    for _ in 1..<Self.capacity {
      slot = (slot &+ 1) & (Self.capacity - 1)
      if pauses[slot].length < pauses[shortest].length { shortest = slot }
    }
    return shortest
  }

  /// Whether a sample changes what is known of a device that was first heard at `start`, though it ends no pause.
  @inline(__always)
  func isRefreshDue(heardSince start: Instant, at now: Instant) -> Bool {
    now >= refreshDue
      || (!isAcquainted && now.microseconds &- start.microseconds >= Self.acquaintanceMicroseconds)
  }

  /// Brings what is known up to date with a sample of a device that was first heard at `start`.
  @inline(__always)
  mutating func refresh(heardSince start: Instant, at now: Instant) {
    if !isAcquainted {
      isAcquainted = now.microseconds &- start.microseconds >= Self.acquaintanceMicroseconds
    }
    if now >= refreshDue { forgetOldPauses(at: now.microseconds / 1000) }
  }

  /// Forgets what no longer counts, before its age becomes ambiguous, and finds the longest of the others.
  @inline(never)
  private mutating func forgetOldPauses(at present: Int64) {
    let sinceLastPause = present - lastEnd.microseconds / 1000
    pauseCount = 0
    milliseconds = 0
    var soonest: Int64?
    for slot in 0..<Self.capacity {
      let remaining = pauses[slot].remaining(at: present, sinceLastPause: sinceLastPause)
      guard remaining > 0 else {
        pauses[slot] = .none
        continue
      }
      soonest = min(soonest ?? remaining, remaining)
      pauseCount += 1
      milliseconds = max(milliseconds, UInt32(truncatingIfNeeded: pauses[slot].milliseconds))
    }
    refreshDue =
      soonest.map { Instant(microseconds: present * 1000).advanced(milliseconds: $0) }
      ?? Instant(microseconds: .max)
  }

  /// Moves the end of the last pause on, with the times of the samples.
  mutating func skip(microseconds: Int64) {
    lastEnd = Instant(microseconds: lastEnd.microseconds &+ microseconds)
  }
}
