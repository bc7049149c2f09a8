// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
public import Registry

// Sessions: `ASAccessorySession`.

extension SetupCore {
  /// What an app asks for when it activates.
  public struct Activation: Sendable {
    /// nil when the caller may act as one app only.
    public var app: String?
    /// The token of a session that lost its stream and is resumed; nil opens a session. Any other text is an unknown
    /// token.
    public var session: String?
    /// The first event to read, if the epoch is that of this run.
    public var sequence: UInt64?
    /// The caller gave a cursor whose epoch is that of another run.
    public var hasOtherEpoch = false

    public init() {}
  }

  /// A stream of a session, as it begins.
  public struct ActivatedSession: Equatable, Sendable {
    public let position: SessionPosition
    /// The cursor was useless, so the stream starts over.
    public let isReset: Bool
    /// The stream begins with `activated` and the accessories.
    public let isActivated: Bool
  }

  /// Opens or resumes a session. `owner` is the caller, as the kernel reports it; `apps` are those it may act as.
  public mutating func activate(
    _ activation: Activation, by owner: SessionOwner, apps: Set<String>
  ) throws(SetupError) -> (ActivatedSession, [SetupEffect]) {
    if let token = activation.session { return (try resume(token, activation, by: owner), []) }
    let app = try app(named: activation.app, among: apps, for: owner)
    let (session, ended) = sessions.open(
      random.draw(), app: app, owner: owner, appCount: configuration.apps.count)
    guard let session else { throw .tooManySessions(sessions.sessions(of: app).count) }
    if let ended { release(ended) }
    counters.sessionsOpened += 1
    let (position, isReset) = sessions.start(session, activation.cursor, isNew: true)
    return (ActivatedSession(position: position, isReset: isReset, isActivated: true), takeEffects())
  }

  private func app(
    named name: String?, among apps: Set<String>, for owner: SessionOwner
  ) throws(SetupError) -> String {
    if let name {
      if case .socket(let own) = owner, name != own { throw .socketOfAnotherApp(own) }
      guard apps.contains(name) else { throw .noApp(name) }
      return name
    }
    guard let only = apps.first else { throw .noApp(nil) }
    guard apps.count == 1 else {
      throw SetupError(
        .activationFailed, field: "app",
        "this account may act as several apps: \(apps.sorted().joined(separator: ", "))",
        cure: "name one")
    }
    return only
  }

  private mutating func resume(
    _ token: String, _ activation: Activation, by owner: SessionOwner
  ) throws(SetupError) -> ActivatedSession {
    let session = try session(token, of: owner)
    guard activation.app.map({ $0 == session.app }) ?? true else {
      counters.unknownIdentifiersRefused += 1
      throw .noSession
    }
    guard sessions.resume(session.token) else { throw .isStreamed }
    let (position, isReset) = sessions.start(session, activation.cursor, isNew: false)
    return ActivatedSession(
      position: position, isReset: isReset, isActivated: isReset || activation.sequence == nil)
  }

  /// Returns the session of a token that this owner opened; every other token is refused in the same words.
  public mutating func session(_ token: String, of owner: SessionOwner) throws(SetupError) -> Session {
    guard let token = RandomIdentifier(text: token), let session = sessions.session(token, of: owner) else {
      counters.unknownIdentifiersRefused += 1
      throw .noSession
    }
    return session
  }

  /// Returns the next event of the session's stream.
  public func read(_ position: inout SessionPosition) -> SessionReading { sessions.read(&position) }

  /// Whether the session is still open. The stream of a closed session sends the remaining events and ends.
  public func isOpen(_ session: RandomIdentifier) -> Bool { sessions.isOpen(session) }

  /// The apps that have a session with a stream; one may come several times.
  public func forEachConnectedApp(_ body: (String) -> Void) {
    for session in sessions.sessions where session.end == nil { body(session.app) }
  }

  /// Records that the session's stream has ended. Another stream may resume the session for a while.
  public mutating func leave(_ session: RandomIdentifier) { sessions.leave(session, at: now) }

  /// Ends the session for its app.
  public mutating func invalidate(_ session: Session) -> [SetupEffect] {
    if let ended = sessions.close(session.token) { release(ended, because: .wasInvalidated) }
    return takeEffects()
  }

  /// Ends what the session began, except an accessory that is being set up or awaits the app.
  private mutating func release(_ session: Session, because failure: SetupError = .hasExpired) {
    for flow in flows.flows where flow.session == session.token {
      changeQuietly(flow.id) { flow in
        flow.isEndedByApp = true
        return []
      }
      switch flow.state {
      case .discovering, .choosing, .pairing, .naming: change(flow.id) { $0.finish(.pickerLost(failure)) }
      case .asking, .writing:
        let ending: SetupError =
          flow.picker == nil ? .userCancelled(reason: failure.reason) : .pickerLost(failure)
        change(flow.id) { $0.close(ending) }
      case .created, .adding, .confirming, .settling, .takingBack, .finished: break
      }
    }
    emit(.invalidated(failure), toApp: session.app, audience: session.token)
  }

  mutating func expireSessions() { for session in sessions.expire(at: now) { expire(session) } }

  /// Whether a session is open that no stream has.
  public func isLeft(_ session: RandomIdentifier) -> Bool { sessions.isLeft(session) }

  /// Ends a session whose program has ended, unless another stream has it.
  public mutating func expire(_ session: RandomIdentifier) -> [SetupEffect] {
    if isLeft(session), let ended = sessions.close(session) { expire(ended) }
    return takeEffects()
  }

  private mutating func expire(_ session: Session) {
    counters.sessionsExpired += 1
    release(session)
  }

  /// Ends the sessions of users that may no longer act as the app after a reload, each for its reason.
  mutating func endSessions(because reason: (Session) -> SetupError?) {
    for session in sessions.sessions {
      guard let reason = reason(session), let ended = sessions.close(session.token) else { continue }
      release(ended, because: reason)
    }
  }
}

extension SetupCore.Activation {
  fileprivate var cursor: SessionCursor {
    hasOtherEpoch ? .otherEpoch : sequence.map { .sequence($0) } ?? .now
  }
}

extension SetupError {
  /// `name` is what the caller asked for: nothing tells whether it is an app of another account.
  static func noApp(_ name: String?) -> Self {
    Self(
      .activationFailed, field: "app",
      "there is no app \(name.map { "\($0.quotedForDisplay) " } ?? "")for this account",
      cure: "name the account as the app's user or group in the gateway's manifest")
  }

  /// `own` is the app that the socket belongs to. Nothing tells whether there is an app of the name that was given.
  static func socketOfAnotherApp(_ own: String) -> Self {
    Self(
      .activationFailed, field: "app", "this socket belongs to the app \(own.quotedForDisplay)",
      cure: "leave out `app`, or connect where the other app may")
  }

  static func tooManySessions(_ count: Int) -> Self {
    Self(
      .activationFailed,
      "\(count) sessions of the app are open, and each of them has a stream; an app has at most "
        + "\(SessionStore.countMaxPerApp), fewer while other apps use theirs",
      cure: "close one, and try again")
  }

  public static let noSession = Self(
    .invalidated, "the session has ended, or never existed", cure: "call Activate again")
  /// Reported only to the session's own account.
  static let isStreamed = invalid(
    "session", "another connection streams the session",
    cure: "close that one first, or call Activate without session to open another")
  static let wasInvalidated = Self(
    .invalidated, "the app invalidated the session", cure: "call Activate again")
  static let hasExpired = Self(
    .invalidated, "the session had no stream for 10 s", cure: "keep the connection of Activate open")
  static let accountHasChanged = Self(
    .invalidated, "the manifest has given the app to another account, or taken it out",
    cure: "ask the gateway's operator")
  static let socketWasTakenOut = Self(
    .invalidated, "the manifest no longer gives the app a socket of its own",
    cure: "connect to the agent's own socket, or ask the gateway's operator for socket = true")

  static func userCancelled(reason: String) -> Self {
    Self(.userCancelled, reason, cure: "ask again when an operator is at the gateway")
  }

  /// Returns the error of a picker whose session has ended.
  fileprivate static func pickerLost(_ failure: SetupError) -> Self {
    Self(.invalidated, failure.reason, cure: failure.cure)
  }
}
