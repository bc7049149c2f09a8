// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// A point in time by CLOCK_BOOTTIME, which is never set and also runs while the machine sleeps.
public struct MonotonicInstant: Comparable, Sendable {
  /// Since the machine was started.
  public let nanoseconds: Int64

  public static func now() throws(SystemError) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: try readNanoseconds(of: CLOCK_BOOTTIME))
  }

  public func advanced(nanoseconds delta: Int64) -> MonotonicInstant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(delta)
    return MonotonicInstant(nanoseconds: overflow ? .max : sum)
  }

  public func advanced(milliseconds: Int) -> MonotonicInstant {
    advanced(nanoseconds: Int64(milliseconds) * 1_000_000)
  }

  public func advanced(seconds: Int) -> MonotonicInstant {
    let (delta, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return advanced(nanoseconds: overflow ? .max : delta)
  }

  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}

/// Microseconds since the machine was started, sleep included (CLOCK_BOOTTIME).
public enum BootTime {
  public static func now() throws(SystemError) -> Int64 { try readNanoseconds(of: CLOCK_BOOTTIME) / 1000 }
}

/// Microseconds of the clock that stands still while the machine sleeps (CLOCK_MONOTONIC): the service manager's.
public enum MonotonicTime {
  public static func now() throws(SystemError) -> Int64 { try readNanoseconds(of: CLOCK_MONOTONIC) / 1000 }
}

/// A point in time by the wall clock, which may be set at any moment.
public struct WallTime: Equatable, Sendable {
  /// Since 1970, UTC.
  public let microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  public static func now() throws(SystemError) -> WallTime {
    WallTime(microseconds: try readNanoseconds(of: CLOCK_REALTIME) / 1000)
  }

  public var wholeSeconds: Int64 { microseconds.floorDivided(by: 1_000_000) }
}

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

private func readNanoseconds(of clock: clockid_t) throws(SystemError) -> Int64 {
  var time = timespec()
  // Holds: `time` is a local variable.
  _ = try retryOnInterrupt(.clock) { unsafe clock_gettime(clock, &time) }
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
