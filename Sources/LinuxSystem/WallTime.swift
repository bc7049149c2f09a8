// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// A point in time by the wall clock, which may be set at any moment.
public struct WallTime: Equatable, Sendable {
  /// Since 1970, UTC.
  public let microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  public static func now() throws(SystemError) -> WallTime {
    var time = timespec()
    // Holds: `time` is a local variable.
    _ = try retryOnInterrupt(.clock) { unsafe clock_gettime(CLOCK_REALTIME, &time) }
    return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  public var wholeSeconds: Int64 { microseconds.floorDivided(by: 1_000_000) }
}

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
