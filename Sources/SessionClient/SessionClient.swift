// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import Varlink
import VarlinkClient

/// A session with the agent, as a pure state machine: bytes, calls and the time go in; bytes and deliveries come out.
/// It opens no socket and reads no clock.
///
/// One connection carries the stream of events, one the short calls, and each call that may take long has one of its
/// own, which is closed as soon as it is not used. When the stream breaks, the session is resumed, or replaced by a new one; the app learns only what has changed.
/// Every call completes exactly once. Capacity: as many calls as the app makes; ``PickerBook/countMax`` pickers.
public struct SessionClient: Sendable {
  /// How the stream is doing.
  enum Phase: Equatable, Sendable {
    /// Before `activate`.
    case idle
    /// The agent was away; the next attempt comes then.
    case pausing(until: Duration)
    /// The stream's connection is being opened.
    case opening(SessionLinkID)
    /// `Activate` was sent. `isResuming` when it named the session's token.
    case activating(SessionLinkID, isResuming: Bool, until: Duration)
    /// The agent accepted, and now lists the accessories.
    case listing(SessionLinkID, Greeting, until: Duration)
    case streaming(SessionLinkID)
    case ended
  }

  /// The first reply to `Activate`.
  struct Greeting: Equatable, Sendable {
    var token: String
    var cursor: StreamCursor
    var isReset: Bool
    /// The session is the one that was there before.
    var isResumed: Bool
    /// The accessories listed so far.
    var accessories: [AppAccessoryLine] = []
  }

  /// While there is no stream.
  struct Silence: Equatable, Sendable {
    /// Why the last attempt to reach the agent failed.
    var error: SessionError?
    /// When the author of the app receives the reason; nil while there is a stream.
    var noticeTime: Duration?
  }

  /// The app's name in the manifest; nil when the account is one app.
  let app: String?
  private(set) var phase = Phase.idle
  /// The token of the agent's session; nil when there is none, or it was lost.
  var token: String?
  /// The next event.
  var cursor: StreamCursor?
  /// What the delivered events amount to.
  var accessories: [AppAccessoryLine] = []
  var hasReportedActivated = false
  var radio: String?
  /// Why the session is over: calls fail with it. `invalidated` when the app ended the session.
  var endError = SessionError.invalidated
  var silence = Silence()
  var links = LinkTable()
  var calls: [PendingCall] = []
  var pickers = PickerBook()
  var retry = RetryPace()
  private(set) var now = Duration.zero
  private var actions: [SessionAction] = []

  public init(app: String?) { self.app = app }

  /// When ``SessionInput/timePassed`` is due; nil when there is nothing to wait for.
  public var nextDeadline: Duration? {
    let phaseEnd: Duration? =
      switch phase {
      case .pausing(let until), .activating(_, _, let until), .listing(_, _, let until): until
      case .idle, .opening, .streaming, .ended: nil
      }
    // A pause that is over waits for something else.
    let pauses = calls.compactMap(\.notBefore).filter { $0 > now }
    let ends =
      [phaseEnd, silence.noticeTime, links.nextDeadline, pickers.openingsEnd] + calls.map(\.deadline)
    return (ends.compactMap { $0 } + pauses).min()
  }

  /// Whether the session is over and no connection is left.
  public var isOver: Bool { phase == .ended && links.isEmpty }

  /// Takes an input and returns what to do. `time` never runs backwards.
  public mutating func step(_ input: SessionInput, at time: Duration) -> [SessionAction] {
    now = max(now, time)
    handle(input)
    expireDeadlines()
    cancelOrphan()
    startCalls()
    closeIdleLink()
    defer { actions = [] }
    return actions
  }

  private mutating func handle(_ input: SessionInput) {
    switch input {
    case .activate:
      guard phase == .idle else { return }
      silence.noticeTime = now + Self.noticeDelay
      openStream()
    case .begin(let id, let request): beginCall(id, request)
    case .refuse(let id, let error): refuse(id, error)
    case .cancel(let id): cancel(id)
    case .invalidate(let isReported): invalidate(isReported: isReported)
    case .linkOpened(let id): linkOpened(id)
    case .linkEnded(let id, let reason, let cure, let isPermanent):
      linkEnded(id, reason: reason, cure: cure, isPermanent: isPermanent)
    case .received(let id, let bytes): received(bytes, on: id)
    case .receivedDescriptor(let id, let descriptor):
      guard let unwanted = links.keep(descriptor, of: id) else { return }
      performAction(.closeDescriptor(unwanted))
    case .lostDescriptor(let id): links[id]?.hasLostDescriptor = true
    case .linkExhausted(let id): linkIsExhausted(id)
    case .timePassed: break
    }
  }

  private mutating func expireDeadlines() {
    switch phase {
    case .pausing(let until) where until <= now: openStream()
    case .activating(let link, _, let until) where until <= now: dropStream(link, because: .silent)
    case .listing(let link, _, let until) where until <= now: dropStream(link, because: .silent)
    case .pausing, .activating, .listing, .idle, .opening, .streaming, .ended: break
    }
    reportSilence()
    for link in links.expired(at: now) { close(link) }
    if let end = pickers.openingsEnd, end <= now { abandonPickers() }
    expireCalls()
  }

  mutating func enter(_ phase: Phase) { self.phase = phase }

  mutating func performAction(_ action: SessionAction) { actions.append(action) }

  mutating func deliver(_ delivery: SessionDelivery) { actions.append(.deliver(delivery)) }

  mutating func deliver(_ event: SessionEvent) { actions.append(.deliver(.event(event))) }

  // MARK: - The end

  private mutating func invalidate(isReported: Bool) {
    guard phase != .ended else { return endError = .invalidated }
    let (hasBegun, token) = (phase != .idle, token)
    end(because: nil, isReported: isReported && hasBegun)
    guard let token else { return }
    let message = Message.call(SessionMethodName.invalidate.rawValue) { $0.member("session", token) }
    performAction(.open(links.add(.ending(message, until: now + .seconds(10))), .short))
  }

  /// Completes every call, reports the end, and closes all connections. When the app did not end the session, it learns
  /// of the end first.
  mutating func end(because error: SessionError?, isReported: Bool = true) {
    let ending = calls
    calls = []
    accessories = []
    pickers = PickerBook()
    token = nil
    silence.noticeTime = nil
    endError = error ?? .invalidated
    enter(.ended)
    for link in links.ids { close(link) }
    let event = SessionEvent(AccessoryEventType.invalidated.rawValue, error: error, accessories: [])
    if isReported, error != nil { deliver(event) }
    for call in ending where call.id != .internalCall { deliver(.completion(call.id, .failure(endError))) }
    if isReported, error == nil { deliver(event) }
    deliver(.ended)
  }

  mutating func close(_ link: SessionLinkID) {
    if let descriptor = links.remove(link) { performAction(.closeDescriptor(descriptor)) }
    performAction(.close(link))
  }
}
