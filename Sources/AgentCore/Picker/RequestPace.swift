// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// How often an app may ask for a picker: so many times a minute, and not right after a person has cancelled.
///
/// Capacity: as many times as may be asked in a minute.
public struct RequestPace: Sendable {
  public static let afterCancelMilliseconds: Int64 = 5000
  static let windowMilliseconds: Int64 = 60_000

  private let perMinute: Int
  private var asked: [Instant] = []
  private var cancelled: Instant?

  public init(perMinute: Int) {
    precondition(perMinute > 0, "an app may ask")
    self.perMinute = perMinute
  }

  /// Counts a request; refuses one that comes too soon, which is not counted.
  public mutating func ask(at now: Instant) throws(SetupFailure) {
    if let cancelled, now.milliseconds(since: cancelled) < Self.afterCancelMilliseconds {
      throw SetupFailure(
        .pickerRestricted, "a person has just cancelled", cure: "ask again when somebody wants it, after 5 s")
    }
    asked.removeAll { now.milliseconds(since: $0) >= Self.windowMilliseconds }
    guard asked.count < perMinute else {
      throw SetupFailure(
        .pickerRestricted, "the app has asked \(perMinute) times within a minute", cure: "ask less often")
    }
    asked.append(now)
  }

  /// A person, or the app, closed the picker.
  public mutating func cancel(at now: Instant) { cancelled = now }
}
