// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// A point in time by CLOCK_BOOTTIME, which is never set and also runs while the machine sleeps.
public struct MonotonicInstant: Comparable, Sendable {
  /// Since the machine was started.
  public let nanoseconds: Int64

  public static func now() throws(SystemError) -> MonotonicInstant {
    var time = timespec()
    // Holds: `time` is a local variable.
    _ = try retryOnInterrupt(.clock) { unsafe clock_gettime(CLOCK_BOOTTIME, &time) }
    return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
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
