// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The filtered level of one device in each of the last ten seconds, in whole dBm: how strong it was before it came
/// near. It is kept while some item matches the device.
public struct LevelHistory: BitwiseCopyable, Sendable {
  private static var secondCount: Int64 { 10 }
  private static var unknown: Int8 { .min }

  /// The device's first report: since its row exists, or since it was last silent.
  public let appeared: Instant
  /// When the last second with a level ended.
  private var end = Instant(microseconds: .min / 2)
  /// By second modulo 10: the level at the first reading of that second.
  private var levels = InlineArray<10, Int8>(repeating: Self.unknown)

  init(appeared: Instant) { self.appeared = appeared }

  /// Whether this second has no level yet.
  @inline(__always)
  func isDue(at now: Instant) -> Bool { now >= end }

  /// Notes the level after the first reading of a second.
  mutating func note(_ level: Int16, at now: Instant) {
    let second = Self.second(of: now)
    let newest = newest
    for missed in 1...Self.secondCount where newest &+ missed < second {
      levels[Self.slot(newest &+ missed)] = Self.unknown
    }
    levels[Self.slot(second)] = Int8(truncatingIfNeeded: (level &+ 8) >> 4)
    end = Instant(microseconds: (second &+ 1) &* 1_000_000)
  }

  /// The last second with a level.
  private var newest: Int64 { Self.second(of: end) &- 1 }

  /// The median of the levels in the ten seconds before the current one, of an even count the weaker; nil when there
  /// are none.
  public func median(at now: Instant) -> Int8? {
    let second = Self.second(of: now)
    var sorted = InlineArray<10, Int8>(repeating: 0)
    var count = 0
    for age in 1...Self.secondCount where second - age <= newest && second - age > newest - Self.secondCount {
      let level = levels[Self.slot(second - age)]
      guard level != Self.unknown else { continue }
      var place = count
      while place > 0, sorted[place - 1] > level {
        sorted[place] = sorted[place - 1]
        place -= 1
      }
      sorted[place] = level
      count += 1
    }
    return count == 0 ? nil : sorted[(count - 1) / 2]
  }

  /// Moves every level by a number of decibels, within -127...20.
  mutating func shift(by decibels: Int) {
    for slot in 0..<Int(Self.secondCount) where levels[slot] != Self.unknown {
      levels[slot] = Int8(max(-127, min(20, Int(levels[slot]) &+ decibels)))
    }
  }

  private static func second(of time: Instant) -> Int64 { time.microseconds / 1_000_000 }

  private static func slot(_ second: Int64) -> Int { Int(UInt64(bitPattern: second) % UInt64(secondCount)) }
}
