// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
public import LinuxSystem

extension WallTime {
  /// The local date, as in `2026-11-21`; nil for years outside the calendar.
  public var localDate: String? {
    local.map { "\($0.year)-\(Self.two($0.month))-\(Self.two($0.day))" }
  }

  /// The local time, as in `16:05:09`; nil likewise.
  public var localTime: String? {
    local.map { "\(Self.two($0.hour)):\(Self.two($0.minute)):\(Self.two($0.second))" }
  }

  private var local: (year: Int32, month: Int32, day: Int32, hour: Int32, minute: Int32, second: Int32)? {
    var seconds = time_t(wholeSeconds)
    // Holds: both are local variables; the name of the time zone, which tm points to, is not read.
    var parts = unsafe tm()
    guard unsafe localtime_r(&seconds, &parts) != nil else { return nil }
    return unsafe (
      parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec
    )
  }

  private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
