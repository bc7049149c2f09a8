// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
public import VarlinkClient

/// A bridge's side of its connections to the agent, as a pure state machine: calls, bytes and the time go in; bytes and
/// replies come out. It opens no socket and reads no clock.
///
/// The agent may end at any time. Kept calls are then made again: after 0.2, 0.4 … 5 s, until there is a reply. The bridge
/// learns of the absence once, and once of the return. Capacity: as many calls as the bridge makes.
public struct BridgeClient: Sendable {
  public enum Input: Sendable {
    case begin(BridgeCallID, BridgeCall)
    /// Ends a call: nothing more is delivered for it.
    case cancel(BridgeCallID)
    /// The connection of the call is open.
    case opened(BridgeCallID)
    /// It could not be opened, or has ended: why, as a sentence.
    case ended(BridgeCallID, String)
    case received(BridgeCallID, [UInt8])
    /// What a kept call has besides its connection has ended: make it again.
    case renew(BridgeCallID)
    case timePassed
  }

  public enum Effect: Equatable, Sendable {
    /// Open a connection to the agent's socket for the call. It is not open yet; a call has one at a time.
    case open(BridgeCallID)
    case send(BridgeCallID, [UInt8])
    /// Close the connection; nothing more is reported about it.
    case close(BridgeCallID)
    case reply(BridgeCallID, ReceivedReply)
    /// The last thing about the call. A kept call never ends so.
    case failed(BridgeCallID, BridgeCallError)
    /// The agent replies again.
    case isThere
    /// The agent cannot be reached: why.
    case isAway(String)
  }

  fileprivate enum Link: Sendable {
    /// A kept call waits for the next attempt.
    case pausing(until: Duration)
    case opening(deadline: Duration?)
    case open(ClientConnection, deadline: Duration?)
  }

  private struct Running: Sendable {
    var call: BridgeCall
    var link: Link
  }

  static let firstPause = Duration.milliseconds(200)
  static let longestPause = Duration.seconds(5)
  private static let renewalPause = Duration.seconds(1)

  private var calls: [BridgeCallID: Running] = [:]
  private var isThere: Bool?
  private var pause = Self.firstPause
  /// When the kept calls that noticed the last absence are made again.
  private var retryTime = Duration.zero
  private var now = Duration.zero
  private var effects: [Effect] = []

  public init() {}

  /// When ``Input/timePassed`` is due; nil when there is nothing to wait for.
  public var nextDeadline: Duration? { calls.values.compactMap(\.link.deadline).min() }

  /// The cursor of a call of ``BridgeCall/events(from:)``: the event after the last that was delivered.
  public func cursor(of id: BridgeCallID) -> EventCursor? {
    if case .fromCursor(let cursor)? = calls[id]?.call.repetition { cursor } else { nil }
  }

  /// Takes an input and returns what to do. `time` never runs backwards.
  public mutating func step(_ input: Input, at time: Duration) -> [Effect] {
    now = max(now, time)
    switch input {
    case .begin(let id, let call):
      precondition(calls[id] == nil, "a call of this name is in progress")
      calls[id] = Running(call: call, link: .pausing(until: now))
      open(id)
    case .cancel(let id): if let link = calls.removeValue(forKey: id)?.link { close(link, of: id) }
    case .opened(let id): opened(id)
    case .ended(let id, let reason): linkEnded(id, .away(reason))
    case .received(let id, let bytes): receive(bytes, on: id)
    case .renew(let id): if calls[id] != nil { repeatCall(id, after: Self.renewalPause) }
    case .timePassed: break
    }
    expireDeadlines()
    defer { effects = [] }
    return effects
  }

  private mutating func open(_ id: BridgeCallID) {
    guard let limit = calls[id]?.call.limit else {
      calls[id]?.link = .opening(deadline: nil)
      return effects.append(.open(id))
    }
    calls[id]?.link = .opening(deadline: now + limit)
    effects.append(.open(id))
  }

  private mutating func opened(_ id: BridgeCallID) {
    guard let running = calls[id], case .opening(let deadline) = running.link else { return }
    var connection = ClientConnection()
    let message = running.call.message
    guard connection.beginCall(message, wantsMore: running.call.wantsMore) else {
      return linkEnded(id, .tooLong, isOpen: true)
    }
    connection.drain { $0.count }
    calls[id]?.link = .open(connection, deadline: deadline)
    effects.append(.send(id, message))
  }

  private mutating func receive(_ bytes: [UInt8], on id: BridgeCallID) {
    var rest = bytes[...]
    while !rest.isEmpty, case .open(var connection, let deadline)? = calls[id]?.link {
      let count = min(connection.receivableByteCount, rest.count)
      guard count > 0 else { return linkBroke(id) }
      let part = rest.prefix(count)
      connection.receive(part.span)
      rest = rest.dropFirst(count)
      calls[id]?.link = .open(connection, deadline: deadline)
      deliverReplies(of: id)
    }
  }

  private mutating func deliverReplies(of id: BridgeCallID) {
    while let running = calls[id], case .open(var connection, let deadline) = running.link {
      guard let next = try? connection.nextReply() else { return linkBroke(id) }
      guard case .reply(let reply) = next else {
        calls[id]?.link = .open(connection, deadline: deadline)
        return
      }
      calls[id]?.link = .open(connection, deadline: nil)
      deliver(reply, of: id)
    }
  }

  private mutating func deliver(_ reply: ReceivedReply, of id: BridgeCallID) {
    if isThere != true {
      isThere = true
      effects.append(.isThere)
    }
    moveCursor(of: id, reply)
    effects.append(.reply(id, reply))
    if reply.error == nil { pause = Self.firstPause }
    guard !reply.continues || reply.error != nil, let call = calls[id]?.call else { return }
    if call.repetition == .never {
      calls[id] = nil
      effects.append(.close(id))
    } else if call.wantsMore || reply.error != nil {
      // What ends a kept stream, such as a refusal, will hardly be over at once.
      repeatCall(id, after: Self.longestPause)
    }
    // Another kept call has its stream beside the connection.
  }

  private mutating func repeatCall(_ id: BridgeCallID, after pause: Duration) {
    effects.append(.close(id))
    calls[id]?.link = .pausing(until: now + pause)
  }

  private mutating func moveCursor(of id: BridgeCallID, _ reply: ReceivedReply) {
    guard case .fromCursor(let cursor)? = calls[id]?.call.repetition, reply.error == nil else { return }
    let line = JSONObjectReader(reply.parameters)
    let first: UInt64? = try? line.integerIfPresent("sequence")
    if let epoch = try? line.stringIfPresent("epoch"), let first {
      // With a cursor that is still good, the events since then come next.
      guard cursor?.epoch != epoch else { return }
      calls[id]?.call.repetition = .fromCursor(EventCursor(epoch: epoch, sequence: first))
    } else if let cursor, let next = Self.next(after: cursor, line) {
      calls[id]?.call.repetition = .fromCursor(EventCursor(epoch: cursor.epoch, sequence: next))
    }
  }

  /// The number of the event after those that a reply brings, or says are lost or were for others.
  private static func next(after cursor: EventCursor, _ line: JSONObjectReader) -> UInt64? {
    if let event = try? line.objectIfPresent("event") {
      let last: UInt64? = try? event.integerIfPresent("sequence")
      return last.map { $0 + 1 }
    }
    let missed: UInt64? = try? line.integerIfPresent("missed")
    let passed: UInt64? = try? line.integerIfPresent("passed")
    return (missed ?? passed).map { cursor.sequence + $0 }
  }

  // MARK: - Ends

  private mutating func linkBroke(_ id: BridgeCallID) {
    linkEnded(
      id, .away("the agent sent a message that cannot be read; check that this is the socket of accessoryd"),
      isOpen: true)
  }

  /// With `isOpen`, the connection is still to be closed.
  private mutating func linkEnded(_ id: BridgeCallID, _ failure: BridgeCallError, isOpen: Bool = false) {
    guard let running = calls[id] else { return }
    if isOpen { effects.append(.close(id)) }
    guard running.call.repetition != .never else {
      calls[id] = nil
      return effects.append(.failed(id, failure))
    }
    // All kept calls that notice one absence are made again together.
    if retryTime <= now {
      retryTime = now + pause
      pause = min(pause * 2, Self.longestPause)
    }
    calls[id]?.link = .pausing(until: retryTime)
    guard isThere != false else { return }
    isThere = false
    let reason = if case .away(let reason) = failure { reason } else { "the agent does not reply" }
    effects.append(.isAway(reason))
  }

  private mutating func close(_ link: Link, of id: BridgeCallID) {
    switch link {
    case .pausing: break
    case .opening, .open: effects.append(.close(id))
    }
  }

  private mutating func expireDeadlines() {
    let due = calls.filter { $0.value.link.deadline.map { $0 <= now } ?? false }.keys.sorted {
      $0.number < $1.number
    }
    for id in due {
      switch calls[id]?.link {
      case .pausing: open(id)
      case .opening, .open: linkEnded(id, .late, isOpen: true)
      case nil: break
      }
    }
  }
}

extension BridgeClient.Link {
  fileprivate var deadline: Duration? {
    switch self {
    case .pausing(let until): until
    case .opening(let deadline), .open(_, let deadline): deadline
    }
  }
}
