// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// When an advertiser sends: once in each interval, plus a pseudo-random delay, which is at most 10 ms in devices that
/// follow the specification (Core Specification 5.4, Volume 6, Part B, 4.4.2.2.1).
struct AdvertisingClock: Sendable {
  /// The next advertising event.
  private(set) var time: Instant
  private let intervalMicroseconds: Int
  private let jitterMicroseconds: Int
  private var dice: SeededGenerator

  static var jitterMilliseconds: Int { 10 }

  /// The first event lies at a random place in the first interval.
  init(
    intervalMilliseconds: Int, jitterMilliseconds: Int = Self.jitterMilliseconds, dice: SeededGenerator
  ) {
    precondition(intervalMilliseconds > 0, "an advertising interval is longer than zero")
    self.dice = dice
    jitterMicroseconds = jitterMilliseconds * 1000
    intervalMicroseconds = intervalMilliseconds * 1000
    time = Instant(microseconds: 0)
    skip(to: time)
  }

  mutating func advance() {
    time.microseconds += Int64(intervalMicroseconds + dice.number(below: jitterMicroseconds + 1))
  }

  /// Continues at a random place in the interval that starts at `start`.
  mutating func skip(to start: Instant) {
    time = Instant(microseconds: start.microseconds + Int64(dice.number(below: intervalMicroseconds)))
  }
}
