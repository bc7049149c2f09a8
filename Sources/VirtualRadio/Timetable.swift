// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// When a device is present, and the time of its script, which may restart after a period, for ever.
struct Timetable: Sendable {
  /// When it is present in each turn of the script, in order; ranges beyond the period have no effect.
  let presence: [Range<Instant>]
  /// The length of a turn; nil plays the script once.
  let periodMicroseconds: Int64?

  /// The script's time at the scene's `time`.
  func scriptTime(at time: Instant) -> Instant {
    Instant(microseconds: time.microseconds - turnStart(of: time))
  }

  /// The first stay that ends after `time`, in the scene's time; nil when the device has left for good.
  func stay(endingAfter time: Instant) -> Range<Instant>? {
    let start = turnStart(of: time)
    guard let periodMicroseconds else { return presence.first { $0.upperBound > time } }
    return stay(inTurn: start, endingAfter: time)
      ?? stay(inTurn: start + periodMicroseconds, endingAfter: time)
  }

  private func turnStart(of time: Instant) -> Int64 {
    guard let periodMicroseconds else { return 0 }
    return time.microseconds - time.microseconds % periodMicroseconds
  }

  private func stay(inTurn start: Int64, endingAfter time: Instant) -> Range<Instant>? {
    let end = periodMicroseconds ?? .max
    for range in presence where range.lowerBound.microseconds < end {
      let lower = Instant(microseconds: start + range.lowerBound.microseconds)
      let upper = Instant(microseconds: start + min(range.upperBound.microseconds, end))
      if upper > time { return lower..<upper }
    }
    return nil
  }
}
