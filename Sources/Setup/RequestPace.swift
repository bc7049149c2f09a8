// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Limits how often an app may ask for a picker: a number of times per minute, and not right after a picker was closed
/// without a choice.
///
/// Capacity: as many times as the app may ask in a minute.
public struct RequestPace: Sendable {
  /// The party that closed a request.
  public enum Closer: Sendable {
    case app, `operator`
  }

  public static let afterCancelMilliseconds: Int64 = 5000
  static let windowMilliseconds: Int64 = 60_000

  private let perMinute: Int
  private var asked: [Instant] = []
  private var closed: (by: Closer, at: Instant)?

  public init(perMinute: Int) {
    precondition(perMinute > 0, "an app may ask at least once a minute")
    self.perMinute = perMinute
  }

  /// Counts a request. Refuses a request that comes too soon, without counting it.
  public mutating func ask(at now: Instant) throws(SetupError) {
    if let closed, now.milliseconds(since: closed.at) < Self.afterCancelMilliseconds {
      throw SetupError(
        .pickerRestricted, closed.by.reason, cure: "ask again after 5 s, when a user wants it")
    }
    asked.removeAll { now.milliseconds(since: $0) >= Self.windowMilliseconds }
    if asked.count >= perMinute, let oldest = asked.first {
      let wait = (Self.windowMilliseconds - now.milliseconds(since: oldest) + 999) / 1000
      throw SetupError(
        .pickerRestricted, "the app has asked \(perMinute) times within a minute",
        cure: "ask again in \(wait) s")
    }
    asked.append(now)
  }

  /// Records that a request was closed without a choice.
  public mutating func close(by closer: Closer, at now: Instant) { closed = (closer, now) }
}

extension RequestPace.Closer {
  fileprivate var reason: String {
    switch self {
    case .app: "the app has just closed its picker"
    case .operator: "an operator has just closed a request of the app"
    }
  }
}
