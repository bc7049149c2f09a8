// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient
public import Interfaces
import JSON
public import VarlinkClient

/// What a bridge to a broker has of the agent, as a pure state machine: the accessories of its apps, the status, and each
/// event once and in order, over every end of the agent.
///
/// Its owner changes it, and then performs what ``drainEffects()`` returns. Events that the owner does not read stay in the
/// agent's ring. Capacity: as many accessories as the agent lists.
public struct GatewayFeed: Sendable {
  public enum Effect: Sendable {
    case socket(AgentSocketEffect)
    case agentIsThere
    case agentIsAway
    /// ``status`` is another.
    case statusChanged
    /// ``book`` has an accessory that is new, or has changed.
    case adopted(String)
    case gone(String)
    /// The list of accessories is complete.
    case listed
    /// Reading has begun for the first time, here.
    case began(EventCursor)
    /// A new run of the agent began, whose events count from there; the position in the one before, if it is known.
    case reset(to: EventCursor, last: EventCursor?)
    /// As many events from the position on were overwritten before they were read.
    case missed(UInt64, from: EventCursor)
    case event(EventLine)
    /// A device that an item of the app had found before reading began.
    case present(DeviceLine, app: String)
    /// A reply to a call of the owner's.
    case reply(BridgeCallID, ReceivedReply)
    /// The owner's call has failed: why.
    case failed(BridgeCallID, String)
    case log(Notice)
  }

  /// Where reading begins.
  public enum Start: Equatable, Sendable {
    /// With what happens next.
    case next
    /// With all that the agent's ring has.
    case wholeRing
    case cursor(EventCursor)
  }

  private static let statusPause = Duration.seconds(60)
  private static let accessoriesCall = BridgeCallID(2)
  private static let statusCall = BridgeCallID(3)
  private static let presentCall = BridgeCallID(6)
  private static let firstEventsCall = 10
  /// How long found devices are listened for.
  private static let presentSpan = Duration.seconds(2)

  private var agent = BridgeClient()
  private var now = Duration.zero
  private var effects: [Effect] = []

  public private(set) var book = AccessoryBook()
  /// Whether a list of accessories was complete once.
  public private(set) var isListed = false
  public private(set) var status: StatusLine?
  public private(set) var isAgentThere = false
  private var statusTime: Duration?
  private var lastNotice: Notice?
  private var presentEnd: Duration?

  /// Where reading goes on.
  public private(set) var start: Start
  /// The call that reads events; nil while none are read. Each has a name of its own, so that what still comes of the one
  /// before is not taken for its replies.
  private var eventsCall: BridgeCallID?
  private var eventsCallCount = 0
  private var isHeld = false
  /// Events of others that the agent has reported by themselves; the next event says them with its own, so that what is
  /// published adds up.
  private var passedCount = 0

  public init(from start: Start) { self.start = start }

  public var nextDeadline: Duration? {
    let status = isAgentThere ? (statusTime ?? .zero) + Self.statusPause : nil
    return [agent.nextDeadline, status, presentEnd].compactMap { $0 }.min()
  }

  /// What is to be done since the last time.
  public mutating func drainEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  // MARK: - What the owner says

  /// Sets the time, which never runs backwards, before anything else that happens then.
  public mutating func moveTime(to time: Duration) { now = max(now, time) }

  public mutating func connect() {
    callAgent(
      .begin(Self.accessoriesCall, .kept(OperatorMethodName.list) { json in json.member("follows", true) }))
  }

  public mutating func receive(_ event: AgentSocketEvent) { callAgent(BridgeClient.Input(event)) }

  /// Does what is due.
  public mutating func expireDeadlines() {
    callAgent(.timePassed)
    if let end = presentEnd, end <= now {
      presentEnd = nil
      callAgent(.cancel(Self.presentCall))
    }
    if isAgentThere, (statusTime ?? .zero) + Self.statusPause <= now { askStatus() }
  }

  /// Makes a call of the owner's, whose number is none of the feed's: 4, 5 or more than 100.
  public mutating func beginCall(_ id: BridgeCallID, _ call: BridgeCall) { callAgent(.begin(id, call)) }
  public mutating func cancelCall(_ id: BridgeCallID) { callAgent(.cancel(id)) }

  /// Reads events, as far as the owner has space for them.
  public mutating func followEvents(isFull: Bool, hasSpace: Bool) {
    if eventsCall == nil, isListed, hasSpace { startEvents() }
    guard let call = eventsCall else { return }
    if isFull, !isHeld {
      isHeld = true
      effects.append(.socket(.hold(call, true)))
    } else if isHeld, hasSpace {
      isHeld = false
      effects.append(.socket(.hold(call, false)))
    }
  }

  /// Leaves events in the agent's ring.
  public mutating func stopEvents() {
    guard let call = eventsCall else { return }
    eventsCall = nil
    callAgent(.cancel(call))
  }

  /// Resumes from another position.
  public mutating func moveStart(to start: Start) {
    stopEvents()
    (self.start, passedCount) = (start, 0)
  }

  /// The accessory that an event is of.
  public func accessory(of event: EventLine) -> AccessoryLine? {
    book.identifier(of: event.address.bits, ofApp: event.app).flatMap { book.lines[$0] }
  }

  // MARK: - The agent

  private mutating func callAgent(_ input: BridgeClient.Input) {
    for effect in agent.step(input, at: now) {
      switch effect {
      case .open(let id): effects.append(.socket(.open(id)))
      case .send(let id, let bytes): effects.append(.socket(.send(id, bytes)))
      case .close(let id): effects.append(.socket(.close(id)))
      case .reply(let id, let reply): receive(reply, of: id)
      case .failed(let id, let failure): effects.append(.failed(id, failure.sentence))
      case .isThere: agentIsThere()
      case .isAway(let reason): agentIsAway(reason)
      }
    }
  }

  private mutating func agentIsThere() {
    isAgentThere = true
    note(.agentIsThere)
    effects.append(.agentIsThere)
    askStatus()
  }

  private mutating func agentIsAway(_ reason: String) {
    isAgentThere = false
    note(.agentIsAway(reason))
    book.restart()
    effects.append(.agentIsAway)
  }

  /// Says what is wrong with the agent once.
  private mutating func note(_ notice: Notice) {
    guard lastNotice != notice else { return }
    lastNotice = notice
    effects.append(.log(notice))
  }

  private mutating func receive(_ reply: ReceivedReply, of id: BridgeCallID) {
    switch id {
    case eventsCall: eventsAnswered(reply)
    case Self.accessoriesCall: accessoriesAnswered(reply)
    case Self.presentCall: presentAnswered(reply)
    case Self.statusCall:
      guard let line: StatusLine = reply.line() else { return }
      status = line
      effects.append(.statusChanged)
    case BridgeCallID(Self.firstEventsCall), BridgeCallID(Self.firstEventsCall + 1): break
    default: effects.append(.reply(id, reply))
    }
  }

  private mutating func askStatus() {
    statusTime = now
    callAgent(.cancel(Self.statusCall))
    callAgent(.begin(Self.statusCall, .once(GatewayMethodName.status)))
  }

  private mutating func accessoriesAnswered(_ reply: ReceivedReply) {
    if reply.isPermissionDenied { note(.notABridge) }
    // One that knows no `follows` refuses it, or ends its reply at once.
    if reply.isUnknownMethod || reply.isInvalidParameter || (reply.error == nil && !reply.continues) {
      note(.agentIsOlder)
    }
    if reply.error != nil || !reply.continues { return book.restart() }
    let known = book
    switch book.update(reply) {
    case .nothing: break
    case .replaced(let accessory):
      effects.append(.adopted(accessory))
      if known.lines[accessory] == nil { readPresent() }
    case .gone(let accessory): effects.append(.gone(accessory))
    case .synced:
      isListed = true
      note(.agentIsThere)
      effects.append(.listed)
      // A stream of events that goes on says nothing of them.
      if cursor != nil { readPresent() }
    }
  }

  // MARK: - Events

  private var cursor: EventCursor? { if case .cursor(let cursor) = start { cursor } else { nil } }

  private mutating func startEvents() {
    eventsCallCount += 1
    let call = BridgeCallID(Self.firstEventsCall + eventsCallCount % 2)
    (eventsCall, isHeld) = (call, false)
    callAgent(.begin(call, .events(from: cursor)))
  }

  /// Asks once more which devices are found: one was found before it was an accessory, and may have no event for long.
  private mutating func readPresent() {
    presentEnd = now + Self.presentSpan
    callAgent(.cancel(Self.presentCall))
    callAgent(.begin(Self.presentCall, .once(GatewayMethodName.watch)))
  }

  private mutating func presentAnswered(_ reply: ReceivedReply) {
    guard let line: WatchReply = reply.line(), let present = line.present else { return }
    for item in present.items where item.isFound { effects.append(.present(present, app: item.app)) }
  }

  private mutating func eventsAnswered(_ reply: ReceivedReply) {
    if let refusal = reply.refusal { return note(reply.isPermissionDenied ? .notABridge : .refused(refusal)) }
    guard let line: WatchReply = reply.line() else { return }
    if let epoch = line.epoch, let sequence = line.sequence {
      // What has changed since it was asked for, and before this stream, nothing says.
      askStatus()
      began(EventCursor(epoch: epoch, sequence: sequence), isReset: line.isReset ?? false)
    } else if let event = line.event {
      start = .cursor(EventCursor(epoch: event.epoch, sequence: event.sequence + 1))
      var event = event
      event.passed += passedCount
      passedCount = 0
      effects.append(.event(event))
    } else if line.present != nil {
      presentAnswered(reply)
    } else if let missed = line.missed, let first = cursor {
      let count = UInt64(missed)
      start = .cursor(EventCursor(epoch: first.epoch, sequence: first.sequence + count))
      effects += [.log(.missed(count)), .missed(count, from: first)]
    } else if line.passed > 0, let first = cursor {
      start = .cursor(EventCursor(epoch: first.epoch, sequence: first.sequence + UInt64(line.passed)))
      passedCount += line.passed
    } else if line.radioChanged != nil {
      askStatus()
    }
  }

  /// The stream has begun. With a position of this run, the events since then follow.
  private mutating func began(_ position: EventCursor, isReset: Bool) {
    // The agent's new connection is not held.
    isHeld = false
    let last = cursor
    guard last?.epoch != position.epoch else { return }
    guard isReset || start != .next else {
      start = .cursor(position)
      return effects.append(.began(position))
    }
    // What the new run has in its ring is read, too.
    let first = EventCursor(epoch: position.epoch, sequence: 0)
    (start, passedCount) = (.cursor(first), 0)
    effects += [.log(.reset(last: last)), .reset(to: first, last: last)]
    guard position.sequence > 0 else { return }
    stopEvents()
    startEvents()
  }
}
