// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Registry

/// One activation of an app (`ASAccessorySession`), known by a token that only its program has.
public struct Session: Equatable, Sendable {
  public let token: RandomIdentifier
  public let app: String
  /// The user that activated it; calls of others do not reach it, whatever token they bring.
  public let user: UInt32
  /// When it ends because nobody streams it; nil while somebody does.
  public fileprivate(set) var end: Instant?
}

/// The sessions that are open.
///
/// Capacity: ``countMax`` sessions; when all places are taken, the one that has been without a stream for longest gives
/// way, and if all are streamed the newcomer is refused. A session without its stream ends after ten seconds.
public struct SessionTable: Sendable {
  /// Twice the connections that there can be: each may have one that streams, and one that was just left.
  public static let countMax = 128
  /// So long a session lives on without its stream.
  public static let lingerMilliseconds: Int64 = 10_000

  private(set) var sessions: [Session] = []

  public init() {}

  /// Opens a session that is streamed from now on. `token` is random. Nil when there is no place; `ended` is who gave
  /// way.
  public mutating func open(
    _ token: RandomIdentifier, app: String, user: UInt32
  ) -> (session: Session?, ended: Session?) {
    precondition(index(of: token) == nil, "a token is given once")
    var ended: Session?
    if sessions.count == Self.countMax {
      guard let index = idlest else { return (nil, nil) }
      ended = sessions.remove(at: index)
    }
    let session = Session(token: token, app: app, user: user, end: nil)
    sessions.append(session)
    return (session, ended)
  }

  /// The one whose end is nearest.
  private var idlest: Int? {
    sessions.indices.filter { sessions[$0].end != nil }.min {
      (sessions[$0].end?.microseconds ?? 0) < (sessions[$1].end?.microseconds ?? 0)
    }
  }

  /// The session of a token, for the user that opened it; nil is said in the same words whatever the reason.
  public func session(_ token: RandomIdentifier, of user: UInt32) -> Session? {
    index(of: token).map { sessions[$0] }.flatMap { $0.user == user ? $0 : nil }
  }

  public func isOpen(_ token: RandomIdentifier) -> Bool { index(of: token) != nil }

  /// A stream takes the session up again. False when another one streams it.
  public mutating func takeUp(_ token: RandomIdentifier) -> Bool {
    guard let index = index(of: token), sessions[index].end != nil else { return false }
    sessions[index].end = nil
    return true
  }

  /// The session's stream has ended; it may be taken up again for a while.
  public mutating func leave(_ token: RandomIdentifier, at now: Instant) {
    guard let index = index(of: token) else { return }
    sessions[index].end = now.advanced(milliseconds: Self.lingerMilliseconds)
  }

  /// Ends a session.
  public mutating func close(_ token: RandomIdentifier) -> Session? {
    index(of: token).map { sessions.remove(at: $0) }
  }

  /// Ends those whose time is over, the longest waiting first.
  public mutating func expire(at now: Instant) -> [Session] {
    let ended = sessions.filter { $0.end.map { $0 <= now } ?? false }
    sessions.removeAll { session in ended.contains { $0.token == session.token } }
    return ended.sorted { ($0.end?.microseconds ?? 0) < ($1.end?.microseconds ?? 0) }
  }

  /// When ``expire(at:)`` is due.
  public var nextEnd: Instant? { sessions.compactMap(\.end).min() }

  /// The sessions of an app, in the order they were opened.
  public func sessions(of app: String) -> [Session] { sessions.filter { $0.app == app } }

  private func index(of token: RandomIdentifier) -> Int? { sessions.firstIndex { $0.token == token } }
}
