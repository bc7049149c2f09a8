// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// What the calling thread has had of the machine so far.
///
/// Unlike the time on the clock it does not depend on what else runs: a thread that is pushed aside neither uses the
/// processor nor waits.
struct ThreadUse: Equatable {
  /// RUSAGE_THREAD of getrusage(2).
  private static let thisThread: Int32 = 1

  /// How often it gave the processor away because it had to wait for something.
  var waits = 0
  var processorMicroseconds = 0

  static var now: ThreadUse {
    var usage = rusage()
    // Holds: one local variable is filled.
    guard unsafe getrusage(thisThread, &usage) == 0 else {
      preconditionFailure("a thread knows what it used")
    }
    return ThreadUse(
      waits: Int(usage.ru_nvcsw),
      processorMicroseconds: usage.ru_utime.microseconds + usage.ru_stime.microseconds)
  }

  static func - (later: Self, earlier: Self) -> Self {
    ThreadUse(
      waits: later.waits - earlier.waits,
      processorMicroseconds: later.processorMicroseconds - earlier.processorMicroseconds)
  }
}

extension timeval {
  fileprivate var microseconds: Int { tv_sec * 1_000_000 + Int(tv_usec) }
}
