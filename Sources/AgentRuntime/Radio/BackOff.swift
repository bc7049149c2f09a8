// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// How long to wait before trying again: half a second after the first failure, then twice as long each time, up to half
/// a minute. What lasted a minute makes the next failure a first one.
struct BackOff: Equatable {
  static let millisecondsMin: Int64 = 500
  static let millisecondsMax: Int64 = 30_000
  private static let successMilliseconds: Int64 = 60_000

  private var milliseconds = BackOff.millisecondsMin
  private var successSince: Instant?

  mutating func succeeded(at now: Instant) { successSince = now }

  /// When to try again.
  mutating func failed(at now: Instant, millisecondsMax: Int64 = millisecondsMax) -> Instant {
    if let since = successSince, now.milliseconds(since: since) >= Self.successMilliseconds {
      milliseconds = Self.millisecondsMin
    }
    successSince = nil
    defer { milliseconds = min(2 * milliseconds, Self.millisecondsMax) }
    return now.advanced(milliseconds: min(milliseconds, millisecondsMax))
  }
}
