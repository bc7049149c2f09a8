// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import Registry
import DeviceLines
import Varlink

/// The replies that a call in progress still has to send.
///
/// A client has at most one stream. In every turn, and after every reply that fits into the client's output, the agent
/// asks the stream for its next reply. A stream keeps a position, not a backlog: a client that reads slowly gets what is
/// true when it reads.
protocol ReplyStream {
  /// Returns the next reply, or that the stream waits or ends.
  mutating func nextReply(_ agent: AgentCore) -> StreamStep

  /// The time at which ``nextReply(_:)`` has something new even if nothing else happens; nil without such a time.
  func deadline(_ agent: AgentCore) -> Instant?

  /// The session whose events it sends; nil for other streams.
  var session: RandomIdentifier? { get }

  /// Gives back what the stream holds in the agent. Called once: after the last reply, or when the client has left.
  func release(_ agent: AgentCore)
}

extension ReplyStream {
  func deadline(_ agent: AgentCore) -> Instant? { nil }

  var session: RandomIdentifier? { nil }

  func release(_ agent: AgentCore) {}
}

/// What a stream does next.
enum StreamStep {
  /// Send one reply, which others follow.
  case reply([UInt8])
  /// Nothing until something happens, or the stream's deadline.
  case wait
  /// Send the last reply.
  case end([UInt8])
  /// Send the last reply, and a socket beside it.
  case endPassing(ClientSocket, [UInt8])
}

extension Message {
  /// A reply with the members of a line, which others follow.
  static func line(_ line: some Line) -> [UInt8] {
    reply(continues: true) { line.writeMembers(to: &$0) }
  }

  /// One element of a list, which others follow.
  static func element(_ name: String, _ line: some Line) -> [UInt8] {
    reply(continues: true) { $0.object(name, line) }
  }
}
