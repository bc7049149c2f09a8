// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Decides when the loop reads a radio. Wake-ups cost more than matching, so a busy radio is read once per interval and
/// not once per packet.
///
/// After a drain that found packets, the descriptor is not watched until the interval is over; then the radio is read
/// again. After a drain that found none, the descriptor is watched, so that an idle radio costs nothing. A radio
/// without a descriptor reports when it is due, and is read no more often either. While a request is urgent, no read is
/// delayed.
struct DrainSchedule: Equatable {
  var intervalMilliseconds: Int64
  /// Whether there is a descriptor to watch.
  let hasDescriptor: Bool
  /// The end of the pause; nil while the descriptor is watched.
  private(set) var pauseEnd: Instant?

  init(intervalMilliseconds: Int64, hasDescriptor: Bool = true) {
    self.intervalMilliseconds = intervalMilliseconds
    self.hasDescriptor = hasDescriptor
  }

  func isWatched(isUrgent: Bool) -> Bool { isUrgent || pauseEnd == nil }

  /// Whether the radio is read in this turn. `due` is the time when the source has its next packet.
  func isDue(at now: Instant, isReady: Bool, due: Instant?, isUrgent: Bool) -> Bool {
    if isReady, isWatched(isUrgent: isUrgent) { return true }
    return deadline(due: due, isUrgent: isUrgent).map { $0 <= now } ?? false
  }

  /// The time when the loop must turn for the radio.
  func deadline(due: Instant?, isUrgent: Bool) -> Instant? {
    guard let pauseEnd else { return due }
    if hasDescriptor { return pauseEnd }
    return due.map { isUrgent ? $0 : max($0, pauseEnd) }
  }

  mutating func drained(_ outcome: RadioDrain, at now: Instant) {
    switch outcome {
    case .nothing, .ended: pauseEnd = hasDescriptor ? nil : pause(now)
    case .some: pauseEnd = pause(now)
    case .more: pauseEnd = now
    }
  }

  private func pause(_ now: Instant) -> Instant { now.advanced(milliseconds: intervalMilliseconds) }
}

/// How long to wait before trying again: half a second after the first failure, then twice as long each time, up to
/// half a minute. After a success that lasted a minute, the next failure counts as the first.
struct BackOff: Equatable {
  static let millisecondsMin: Int64 = 500
  static let millisecondsMax: Int64 = 30_000
  private static let successMilliseconds: Int64 = 60_000

  private var milliseconds = BackOff.millisecondsMin
  private var successSince: Instant?

  mutating func succeeded(at now: Instant) { successSince = now }

  /// Records a failure. Returns the time to try again.
  mutating func failed(at now: Instant, millisecondsMax: Int64 = millisecondsMax) -> Instant {
    if let since = successSince, now.milliseconds(since: since) >= Self.successMilliseconds {
      milliseconds = Self.millisecondsMin
    }
    successSince = nil
    defer { milliseconds = min(2 * milliseconds, Self.millisecondsMax) }
    return now.advanced(milliseconds: min(milliseconds, millisecondsMax))
  }
}
