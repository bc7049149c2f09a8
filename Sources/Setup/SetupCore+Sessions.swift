// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
public import Registry

// Sessions: `ASAccessorySession`.

extension SetupCore {
  /// What an app asks for when it activates.
  public struct Activation: Sendable {
    /// Nil for who may act as one app only.
    public var app: String?
    /// A session that lost its stream and is to go on; nil opens one. What is no token at all is an unknown one.
    public var session: String?
    /// From which event on, if the epoch is this run's.
    public var sequence: UInt64?
    /// The caller gave a cursor of another run.
    public var hasForeignCursor = false

    public init() {}
  }

  /// A stream that begins.
  public struct ActivatedSession: Equatable, Sendable {
    public let position: SessionPosition
    /// The cursor was of no use.
    public let isReset: Bool
    /// Says `activated`, with the accessories.
    public let isActivated: Bool
  }

  /// `user` and `apps` are the kernel's and the manifest's word for who calls.
  public mutating func activate(
    _ activation: Activation, user: UInt32, apps: Set<String>
  ) throws(SetupFailure) -> ActivatedSession {
    if let token = activation.session { return try takeUp(token, activation, user: user) }
    let app = try app(named: activation.app, among: apps)
    let (session, ended) = sessions.open(random.draw(), app: app, user: user)
    if let ended { release(ended) }
    guard let session else {
      throw SetupFailure(
        .activationFailed, "\(SessionTable.countMax) sessions are open", cure: "close one, and try again")
    }
    tally.sessionsOpened += 1
    let start = start(activation, app: app)
    return ActivatedSession(
      position: start.position(of: session), isReset: start.isReset, isActivated: true)
  }

  private func app(named name: String?, among apps: Set<String>) throws(SetupFailure) -> String {
    if let name {
      guard apps.contains(name) else { throw .noSuchApp }
      return name
    }
    guard let only = apps.first else { throw .noSuchApp }
    guard apps.count == 1 else {
      throw SetupFailure(
        .activationFailed, field: "app",
        "this account is several apps: \(apps.sorted().joined(separator: ", "))",
        cure: "name one")
    }
    return only
  }

  private mutating func takeUp(
    _ token: String, _ activation: Activation, user: UInt32
  ) throws(SetupFailure) -> ActivatedSession {
    let session = try session(token, of: user)
    guard activation.app.map({ $0 == session.app }) ?? true else {
      tally.foreignRefused += 1
      throw .noSession
    }
    guard sessions.takeUp(session.token) else { throw .isStreamed }
    let start = start(activation, app: session.app)
    return ActivatedSession(
      position: start.position(of: session), isReset: start.isReset,
      isActivated: start.isReset || activation.sequence == nil)
  }

  /// Where a stream begins in its app's events.
  private struct Start {
    var sequence: UInt64
    var activatedAt: UInt64
    var isReset = false

    func position(of session: Session) -> SessionPosition {
      SessionPosition(session.token, app: session.app, at: sequence, activatedAt: activatedAt)
    }
  }

  private func start(_ activation: Activation, app: String) -> Start {
    let produced = feeds[app]?.produced ?? 0
    if activation.hasForeignCursor {
      // Of the run before it has not heard the end: what this one began with.
      let isAnyLeft = (feeds[app]?.openingCount ?? 0) > 0
      return Start(sequence: isAnyLeft ? 0 : produced, activatedAt: produced, isReset: true)
    }
    guard let sequence = activation.sequence, sequence <= produced else {
      return Start(sequence: produced, activatedAt: produced, isReset: activation.sequence != nil)
    }
    return Start(sequence: sequence, activatedAt: sequence)
  }

  /// The session of a token that this user opened; for whatever is not, always the same words.
  public mutating func session(_ token: String, of user: UInt32) throws(SetupFailure) -> Session {
    guard let token = RandomIdentifier(text: token), let session = sessions.session(token, of: user) else {
      tally.foreignRefused += 1
      throw .noSession
    }
    return session
  }

  /// What the session's stream has to say next.
  public func read(_ position: inout SessionPosition) -> SessionReading {
    feeds[position.app]?.read(&position) ?? .end
  }

  /// Whether the session is still open; a stream of one that is not says what is left, and ends.
  public func isOpen(_ session: RandomIdentifier) -> Bool { sessions.isOpen(session) }

  /// The session's stream has ended; somebody may take it up for a while.
  public mutating func leave(_ session: RandomIdentifier) { sessions.leave(session, at: now) }

  /// The app is done with it.
  public mutating func invalidate(_ session: Session) {
    guard let ended = sessions.close(session.token) else { return }
    release(ended, because: .wasInvalidated)
  }

  /// Its picker closes with it; what is being set up, or awaits the app, lives on.
  private mutating func release(_ session: Session, because failure: SetupFailure = .hasExpired) {
    for request in requests where request.session == session.token {
      guard let setup = request.setup else {
        close(request.id, .userCancelled(reason: failure.reason))
        continue
      }
      switch setup.step {
      case .none, .naming: failSetup(request.id, .pickerLost(failure))
      case .adding, .confirming, .takingBack: break
      }
    }
    emit(.invalidated(failure), toApp: session.app, audience: session.token)
  }

  mutating func expireSessions() {
    for session in sessions.expire(at: now) {
      tally.sessionsExpired += 1
      release(session)
    }
  }

  /// After the manifest was read: who may not be an app any more has no session of it.
  mutating func endSessions(where isOver: (Session) -> Bool) {
    for session in sessions.sessions where isOver(session) {
      guard let ended = sessions.close(session.token) else { continue }
      release(ended, because: .accountHasChanged)
    }
  }
}

extension SetupFailure {
  static var noSuchApp: Self {
    Self(
      .activationFailed, field: "app", "there is no such app for this account",
      cure: "name the account as the app's user or group in the gateway's manifest")
  }

  public static var noSession: Self {
    Self(.invalidated, "the session has ended, or never was", cure: "call Activate again")
  }

  /// Only its own account is told so.
  static var isStreamed: Self {
    Self(
      .invalidRequest, field: "session", "another connection streams the session",
      cure: "close that one first, or call Activate without session to open another")
  }

  static var wasInvalidated: Self {
    Self(.invalidated, "the app invalidated the session", cure: "call Activate again")
  }

  static var hasExpired: Self {
    Self(
      .invalidated, "the session had no stream for 10 s", cure: "keep the connection of Activate open")
  }

  static var accountHasChanged: Self {
    Self(
      .invalidated, "the manifest has given the app to another account, or taken it out",
      cure: "ask the gateway's operator")
  }

  static func userCancelled(reason: String) -> Self {
    Self(.userCancelled, reason, cure: "ask again when somebody is at the gateway")
  }

  /// The picker of a session that is over.
  fileprivate static func pickerLost(_ failure: SetupFailure) -> Self {
    Self(.invalidated, failure.reason, cure: failure.cure)
  }
}
