// SPDX-License-Identifier: Apache-2.0

import Varlink
import VarlinkClient

/// A connection to the agent.
struct Link: Sendable {
  enum Purpose: Equatable, Sendable {
    /// `Activate`.
    case stream
    /// Calls that are short, one after another.
    case calls
    /// One call that may take long.
    case single(CallID)
    /// The message of `Invalidate`, whose reply is not needed.
    case ending([UInt8], until: Duration)
  }

  let id: SessionLinkID
  let purpose: Purpose
  var connection = ClientConnection()
  var isOpen = false
  /// The call whose reply is awaited.
  var call: CallID?
  /// A descriptor that came before its reply.
  var descriptor: Int32?
  /// No descriptor was free for one that came.
  var hasLostDescriptor = false
}

/// The connections of a session: the stream, one for short calls, and one for each long call or stream of the app.
struct LinkTable: Sendable {
  private var links: [Link] = []
  private var nextNumber: UInt64 = 0

  var isEmpty: Bool { links.isEmpty }
  var ids: [SessionLinkID] { links.map(\.id) }

  subscript(id: SessionLinkID) -> Link? {
    get { links.first { $0.id == id } }
    set {
      guard let newValue, let index = links.firstIndex(where: { $0.id == id }) else { return }
      links[index] = newValue
    }
  }

  /// The connection for short calls.
  var shortCalls: Link? { links.first { $0.purpose == .calls } }

  func link(of call: CallID) -> Link? { links.first { $0.purpose == .single(call) || $0.call == call } }

  /// Adds a connection that is to be opened.
  mutating func add(_ purpose: Link.Purpose) -> SessionLinkID {
    let id = SessionLinkID(number: nextNumber)
    nextNumber += 1
    links.append(Link(id: id, purpose: purpose))
    return id
  }

  /// Removes a connection. Returns the descriptor that it held.
  mutating func remove(_ id: SessionLinkID) -> Int32? {
    guard let index = links.firstIndex(where: { $0.id == id }) else { return nil }
    return links.remove(at: index).descriptor
  }

  /// Keeps a descriptor for the reply that comes with it. Returns the one that no reply will take.
  mutating func keep(_ descriptor: Int32, of id: SessionLinkID) -> Int32? {
    guard let index = links.firstIndex(where: { $0.id == id }) else { return descriptor }
    defer { links[index].descriptor = descriptor }
    return links[index].descriptor
  }

  /// Takes the descriptor that came with the reply.
  mutating func takeDescriptor(of id: SessionLinkID) -> Int32? {
    guard let index = links.firstIndex(where: { $0.id == id }) else { return nil }
    defer { links[index].descriptor = nil }
    return links[index].descriptor
  }

  var nextDeadline: Duration? { links.compactMap(\.end).min() }

  func expired(at now: Duration) -> [SessionLinkID] {
    links.filter { $0.isOver(at: now) }.map(\.id)
  }
}

extension Link {
  fileprivate var end: Duration? {
    if case .ending(_, let until) = purpose { until } else { nil }
  }

  fileprivate func isOver(at now: Duration) -> Bool {
    guard let end else { return false }
    return end <= now
  }
}

/// When to try again to reach the agent: after 0.25 s, doubling to 5 s.
struct RetryPace: Sendable {
  private static let first = Duration.milliseconds(250)
  private static let longest = Duration.seconds(5)
  /// This many connections within this time that end before a reply mean that the agent does not serve this account.
  private static let refusalsMax = 3
  private static let refusalSpan = Duration.seconds(10)

  private var pause = Self.first
  private var refusals: [Duration] = []

  mutating func takePause() -> Duration {
    defer { pause = min(pause * 2, Self.longest) }
    return pause
  }

  mutating func reset() { self = RetryPace() }

  /// Records that the agent closed a connection before its first reply. Returns whether that means a refusal.
  mutating func noteRefusal(at now: Duration) -> Bool {
    refusals = refusals.filter { now - $0 < Self.refusalSpan } + [now]
    return refusals.count >= Self.refusalsMax
  }
}
