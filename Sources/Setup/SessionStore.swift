// SPDX-License-Identifier: GPL-3.0-or-later

public import Registry

/// Whose calls reach a session, whatever token a call gives.
public enum SessionOwner: Hashable, Sendable {
  /// Processes of this user, at the agent's socket.
  case user(UInt32)
  /// Processes at the own socket of an app, of any user.
  case socket(app: String)
}

/// One activation of an app (`ASAccessorySession`), known by a token that only its program has.
public struct Session: Equatable, Sendable {
  public let token: RandomIdentifier
  public let app: String
  public let owner: SessionOwner
  /// When it ends because no connection streams it; nil while one does.
  public fileprivate(set) var end: Instant?
}

/// The sessions that are open, and the events for them.
///
/// Capacity: ``countMaxPerApp`` sessions of an app, and ``AppFeed/capacity`` of its events; of all apps ``countMax``
/// sessions, of which each app of the manifest has its share (``PlaceShares``). When no slot is free for an app, the
/// session of the same app and owner that has been without a stream for longest is ended; if all of them are streamed, the
/// new one is refused. No app's session gives way to another app's. A session without its stream ends after ten seconds,
/// or with its program.
public struct SessionStore: Sendable {
  /// Twice the number of connections: each may have one session that streams, and one that it just left.
  public static let countMax = 128
  /// The most sessions of one app.
  public static let countMaxPerApp = 16
  /// How long a session lives on without its stream.
  public static let lingerMilliseconds: Int64 = 10_000

  package private(set) var sessions: [Session] = []
  private var feeds: [String: AppFeed] = [:]
  /// The numbers of the events about accessories that the present input caused, the last one of each accessory.
  private var causedEvents: [RandomIdentifier: UInt64] = [:]

  public init() {}

  // MARK: - Sessions

  /// Opens a session that is streamed from now on. `token` is random; `appCount` is the number of apps in the manifest.
  /// Returns nil when no slot is free for the app; `ended` is the session that was ended to make room.
  public mutating func open(
    _ token: RandomIdentifier, app: String, owner: SessionOwner, appCount: Int
  ) -> (session: Session?, ended: Session?) {
    precondition(index(of: token) == nil, "a token is given once")
    var ended: Session?
    if !hasFreeSlot(for: app, appCount: appCount) {
      guard let index = idlest(of: app, owner: owner) else { return (nil, nil) }
      ended = sessions.remove(at: index)
    }
    let session = Session(token: token, app: app, owner: owner, end: nil)
    sessions.append(session)
    return (session, ended)
  }

  /// An app's first session has a slot in any case: a reload may have added the app.
  private func hasFreeSlot(for app: String, appCount: Int) -> Bool {
    let count = sessions.count { $0.app == app }
    guard count > 0 else { return true }
    return count < Self.countMaxPerApp
      && PlaceShares.admit(app, among: sessions.map(\.app), appCount: appCount, capacity: Self.countMax)
  }

  /// The session of an app and owner whose end is nearest.
  private func idlest(of app: String, owner: SessionOwner) -> Int? {
    sessions.indices.filter {
      sessions[$0].app == app && sessions[$0].owner == owner && sessions[$0].end != nil
    }
    .min { (sessions[$0].end?.microseconds ?? 0) < (sessions[$1].end?.microseconds ?? 0) }
  }

  /// Returns the session of a token, for its owner. Callers report nil with one message, whatever the reason.
  public func session(_ token: RandomIdentifier, of owner: SessionOwner) -> Session? {
    index(of: token).map { sessions[$0] }.flatMap { $0.owner == owner ? $0 : nil }
  }

  public func isOpen(_ token: RandomIdentifier) -> Bool { index(of: token) != nil }

  /// Whether the session is open and no stream has it.
  public func isLeft(_ token: RandomIdentifier) -> Bool {
    index(of: token).map { sessions[$0].end != nil } ?? false
  }

  /// Gives the session to another stream. Returns false while a stream has it.
  public mutating func resume(_ token: RandomIdentifier) -> Bool {
    guard let index = index(of: token), sessions[index].end != nil else { return false }
    sessions[index].end = nil
    return true
  }

  /// Records that the session's stream has ended. Another stream may resume the session for a while.
  public mutating func leave(_ token: RandomIdentifier, at now: Instant) {
    guard let index = index(of: token) else { return }
    sessions[index].end = now.advanced(milliseconds: Self.lingerMilliseconds)
  }

  public mutating func close(_ token: RandomIdentifier) -> Session? {
    index(of: token).map { sessions.remove(at: $0) }
  }

  /// Ends the sessions whose time is over, the longest waiting first.
  public mutating func expire(at now: Instant) -> [Session] {
    let ended = sessions.filter { $0.end.map { $0 <= now } ?? false }
    sessions.removeAll { session in ended.contains { $0.token == session.token } }
    return ended.sorted { ($0.end?.microseconds ?? 0) < ($1.end?.microseconds ?? 0) }
  }

  /// When ``expire(at:)`` has to be called.
  public var nextEnd: Instant? { sessions.reduce(nil) { .earliest($0, $1.end) } }

  /// Returns the sessions of an app, in the order of opening.
  public func sessions(of app: String) -> [Session] { sessions.filter { $0.app == app } }

  private func index(of token: RandomIdentifier) -> Int? { sessions.firstIndex { $0.token == token } }

  // MARK: - Events

  /// Adds an event of an app; without `audience` it is for all of the app's sessions.
  mutating func append(_ event: AppEvent, toApp app: String, audience: RandomIdentifier?) {
    let number = feeds[app, default: AppFeed()].append(event, to: audience)
    if let accessory = event.kind.accessory { causedEvents[accessory.identifier] = number }
  }

  /// Returns the number of the event about an accessory that the present input caused; nil when nothing changed.
  func causedEvent(about accessory: RandomIdentifier) -> UInt64? { causedEvents[accessory] }

  /// The input is over.
  mutating func forgetCausedEvents() { causedEvents = [:] }

  /// Puts an event before all others of the app: the end of something that began in the run before.
  mutating func appendOpening(_ event: AppEvent, toApp app: String) {
    feeds[app, default: AppFeed()].open(with: event)
  }

  /// Returns the next event of a session's stream.
  func read(_ position: inout SessionPosition) -> SessionReading {
    feeds[position.app]?.read(&position) ?? .end
  }

  /// Returns where a stream begins in its app's events, and whether its cursor was useless. A stream that `isNew` begins
  /// with the accessories, which include the effects of all events so far.
  func start(
    _ session: Session, _ cursor: SessionCursor, isNew: Bool
  ) -> (position: SessionPosition, isReset: Bool) {
    let feed = feeds[session.app] ?? AppFeed()
    let produced = feed.produced
    switch cursor {
    case .now: return (position(of: session, at: produced, activatedAt: produced), false)
    case .otherEpoch:
      // The stream has not seen the end of the run before, with which this one began.
      let sequence = feed.openingCount > 0 ? 0 : produced
      return (position(of: session, at: sequence, activatedAt: produced), true)
    case .sequence(let sequence) where sequence <= produced:
      guard isNew else { return (position(of: session, at: sequence, activatedAt: sequence), false) }
      // The list does not include the end of the run before.
      let next = sequence < feed.openingCount ? sequence : produced
      return (position(of: session, at: next, activatedAt: produced), false)
    case .sequence: return (position(of: session, at: produced, activatedAt: produced), true)
    }
  }

  private func position(of session: Session, at sequence: UInt64, activatedAt: UInt64) -> SessionPosition {
    SessionPosition(
      session: session.token, app: session.app, sequence: sequence, activatedAt: activatedAt)
  }
}

/// The event of its app at which a stream resumes.
enum SessionCursor: Sendable {
  /// The caller gave none.
  case now
  case sequence(UInt64)
  /// The cursor belongs to another run of the agent.
  case otherEpoch
}
