// SPDX-License-Identifier: Apache-2.0

import Interfaces
public import JSON
public import Varlink
import VarlinkClient

/// A call of a bridge. It has a connection of its own, so that none waits for another.
public struct BridgeCall: Sendable {
  /// What happens when its connection ends.
  enum Repetition: Equatable, Sendable {
    /// The call has failed.
    case never
    /// It is made again as soon as the agent is there.
    case always
    /// The same, from the event after the last one that came.
    case fromCursor(EventCursor?)
  }

  private let method: String
  private let parameters: @Sendable (inout JSONWriter) -> Void
  let wantsMore: Bool
  /// How long the agent may take for the only reply, or for the first of a stream; nil for as long as it likes.
  let limit: Duration?
  var repetition: Repetition

  private init(
    _ method: String, wantsMore: Bool, limit: Duration?, _ repetition: Repetition,
    _ parameters: @escaping @Sendable (inout JSONWriter) -> Void
  ) {
    (self.method, self.wantsMore, self.limit, self.repetition, self.parameters) = (
      method, wantsMore, limit, repetition, parameters
    )
  }

  /// A call that is made once.
  public static func once(
    _ method: some ServedMethod, within limit: Duration? = .seconds(40),
    _ parameters: @escaping @Sendable (inout JSONWriter) -> Void = { _ in }
  ) -> Self {
    Self(method.rawValue, wantsMore: method.replies == .many, limit: limit, .never, parameters)
  }

  /// A stream that is there whenever the agent is, until it is cancelled.
  public static func kept(
    _ method: some ServedMethod, _ parameters: @escaping @Sendable (inout JSONWriter) -> Void = { _ in }
  ) -> Self {
    Self(method.rawValue, wantsMore: method.replies == .many, limit: .seconds(45), .always, parameters)
  }

  /// The events of the bridge's apps: each once, over every end of the agent. What was lost is said, by `isReset` and
  /// `missed` of the replies.
  public static func events(from cursor: EventCursor?) -> Self {
    Self(
      GatewayMethodName.watch.rawValue, wantsMore: true, limit: .seconds(45), .fromCursor(cursor)
    ) { _ in }
  }

  var message: [UInt8] {
    let (parameters, repetition) = (parameters, repetition)
    return Message.call(method, more: wantsMore) { json in
      parameters(&json)
      if case .fromCursor(let cursor?) = repetition {
        json.member("epoch", cursor.epoch)
        json.member("sequence", cursor.sequence)
      }
    }
  }
}

/// A position in the events of a run of the agent.
public struct EventCursor: Equatable, Sendable {
  /// The run.
  public var epoch: String
  /// The number of the next event.
  public var sequence: UInt64

  public init(epoch: String, sequence: UInt64) { (self.epoch, self.sequence) = (epoch, sequence) }
}

/// Names a call; its maker chooses it. A call that has ended may give its name to another.
public struct BridgeCallID: Hashable, Sendable {
  public let number: Int
  public init(_ number: Int) { self.number = number }
}

/// Why a call has no (further) reply.
public enum BridgeCallError: Error, Equatable, Sendable {
  /// The agent cannot be reached, or has ended: a sentence.
  case away(String)
  /// The agent did not reply in time.
  case late
  /// The call is longer than the agent accepts.
  case tooLong
}
