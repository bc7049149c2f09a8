// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// How often the service manager's watchdog is fed: twice in the time after which it bites (sd_watchdog_enabled(3)).
struct WatchdogSchedule: Equatable, Sendable {
  private let intervalMicroseconds: Int64?

  /// From `WATCHDOG_USEC` and `WATCHDOG_PID`. Without a time, or when another process is meant, nothing is fed.
  init(microseconds: String?, process: String?, ownProcess: Int32) {
    let isOurs = process.map { $0 == String(ownProcess) } ?? true
    let time = microseconds.flatMap { Int64($0) } ?? 0
    intervalMicroseconds = isOurs && time > 0 ? max(1, time / 2) : nil
  }

  func next(after now: Instant) -> Instant? {
    intervalMicroseconds.map { Instant(microseconds: now.microseconds + $0) }
  }
}
