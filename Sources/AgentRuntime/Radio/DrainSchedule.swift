// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// When a radio is read: wake-ups cost more than matching, so a busy one is read every interval and not with every
/// packet.
///
/// After a drain that found something the descriptor is left alone until the interval is over; then it is read again,
/// asked for or not. A drain that finds nothing ends this: the descriptor is watched, and an idle radio costs nothing.
/// A radio that has no descriptor says when it is due, and is read then, but no more often either. While something is
/// urgent nothing is put off.
struct DrainSchedule: Equatable {
  var intervalMilliseconds: Int64
  /// Whether there is a descriptor to watch.
  let hasDescriptor: Bool
  /// Until when the radio is left alone; nil while its descriptor is watched.
  private(set) var restEnd: Instant?

  init(intervalMilliseconds: Int64, hasDescriptor: Bool = true) {
    self.intervalMilliseconds = intervalMilliseconds
    self.hasDescriptor = hasDescriptor
  }

  func isWatched(isUrgent: Bool) -> Bool { isUrgent || restEnd == nil }

  /// Whether it is read in this turn. `due` is when the source itself has something.
  func isDue(at now: Instant, isReady: Bool, due: Instant?, isUrgent: Bool) -> Bool {
    if isReady, isWatched(isUrgent: isUrgent) { return true }
    return deadline(due: due, isUrgent: isUrgent).map { $0 <= now } ?? false
  }

  /// When the loop must turn for the radio.
  func deadline(due: Instant?, isUrgent: Bool) -> Instant? {
    guard let restEnd else { return due }
    if hasDescriptor { return restEnd }
    return due.map { isUrgent ? $0 : max($0, restEnd) }
  }

  mutating func drained(_ outcome: RadioDrain, at now: Instant) {
    switch outcome {
    case .nothing, .ended: restEnd = hasDescriptor ? nil : pause(now)
    case .some: restEnd = pause(now)
    case .more: restEnd = now
    }
  }

  private func pause(_ now: Instant) -> Instant { now.advanced(milliseconds: intervalMilliseconds) }
}

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
