// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Registry

/// Limits how often an app may ask the operators: by its calls, whatever comes of them, and by its pickers that ended
/// without an accessory.
///
/// Capacity: as many times as either may happen in a minute.
public struct RequestPace: Sendable {
  static let callsPerMinute = 60
  public static let afterCancelMilliseconds: Int64 = 5000
  /// How long after one request of an app the next is signalled.
  public static let signalMilliseconds: Int64 = 10_000
  static let windowMilliseconds: Int64 = 60_000

  private let failuresPerMinute: Int
  private var calls: [Instant] = []
  private var failures: [Instant] = []
  /// When an operator last closed a picker.
  private var cancelled: Instant?
  /// When a request was last signalled.
  private var signalled: Instant?
  /// The latest request that was opened too soon after that.
  private var waiting: RandomIdentifier?

  public init(failuresPerMinute: Int) {
    precondition(failuresPerMinute > 0, "a picker may fail at least once a minute")
    self.failuresPerMinute = failuresPerMinute
  }

  /// Counts a call that asks the operators. Refuses a call that comes too soon, without counting it.
  public mutating func call(at now: Instant) throws(SetupError) {
    if let wait = Self.wait(&calls, max: Self.callsPerMinute, at: now) {
      throw SetupError(
        .pickerRestricted, "the app has asked \(Self.callsPerMinute) times within a minute",
        cure: "ask again in \(wait) s")
    }
    calls.append(now)
  }

  /// Refuses a picker that comes too soon after others that ended without an accessory.
  public mutating func openPicker(at now: Instant) throws(SetupError) {
    if let cancelled, now.milliseconds(since: cancelled) < Self.afterCancelMilliseconds {
      throw SetupError(
        .pickerRestricted, "an operator has just closed a picker of the app",
        cure: "ask again after 5 s, when a user wants it")
    }
    if let wait = Self.wait(&failures, max: failuresPerMinute, at: now) {
      throw SetupError(
        .pickerRestricted,
        "\(failuresPerMinute) pickers of the app ended without an accessory within a minute",
        cure: "ask again in \(wait) s")
    }
  }

  /// Records that a picker ended without an accessory, and not because its app wanted so.
  public mutating func pickerFailed(at now: Instant) {
    if failures.count == failuresPerMinute { failures.removeFirst() }
    failures.append(now)
  }

  /// Records that an operator closed a picker.
  public mutating func pickerWasCancelled(at now: Instant) { cancelled = now }

  /// When the request that waits is to be signalled; nil when there is none.
  var signalTime: Instant? {
    waiting == nil ? nil : signalled?.advanced(milliseconds: Self.signalMilliseconds)
  }

  /// Returns whether a request that was opened now is to be signalled at once; otherwise it waits.
  mutating func signal(_ request: RandomIdentifier, at now: Instant) -> Bool {
    waiting = request
    if let signalTime, signalTime > now { return false }
    (signalled, waiting) = (now, nil)
    return true
  }

  /// Returns the request that has waited long enough.
  mutating func takeWaiting(at now: Instant) -> RandomIdentifier? {
    guard let request = waiting, let signalTime, signalTime <= now else { return nil }
    (signalled, waiting) = (now, nil)
    return request
  }

  /// Forgets what is over a minute old. Returns the seconds until one more may come; nil when it may come now.
  private static func wait(_ times: inout [Instant], max: Int, at now: Instant) -> Int64? {
    times.removeAll { now.milliseconds(since: $0) >= windowMilliseconds }
    guard times.count >= max, let oldest = times.first else { return nil }
    return (windowMilliseconds - now.milliseconds(since: oldest) + 999) / 1000
  }
}
