// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Registry
import Setup
import Manifest
import Varlink

/// The replies that a call in progress still has to send.
///
/// A client has at most one stream. In every turn, and after every reply that fits into the client's output, the agent
/// asks the stream for its next reply. A stream keeps a position, not a backlog: a client that reads slowly gets what is
/// true when it reads.
protocol ReplyStream {
  /// Returns the next reply, or that the stream waits or ends.
  mutating func nextReply(_ agent: AgentCore) -> StreamStep

  /// When the call ends at the latest; nil for one that goes on.
  var end: Instant? { get }

  /// The time at which ``nextReply(_:)`` has something new even if nothing else happens; nil without such a time.
  func deadline(_ agent: AgentCore) -> Instant?

  /// The session whose events it sends; nil for other streams.
  var session: RandomIdentifier? { get }

  /// Whether it may have something to send after each report, and not only after an event.
  var followsReports: Bool { get }

  /// Gives back what the stream holds in the agent. Called once: after the last reply, or when the client has left.
  func release(_ agent: AgentCore)
}

extension ReplyStream {
  var end: Instant? { nil }

  func isOver(at now: Instant) -> Bool { end.map { $0 <= now } ?? false }

  func deadline(_ agent: AgentCore) -> Instant? { end }

  var session: RandomIdentifier? { nil }

  var followsReports: Bool { false }

  func release(_ agent: AgentCore) {}
}

/// A stream that reads sessions, requests and the registry.
protocol SetupStream: ReplyStream {
  mutating func nextReply(_ setup: SetupCore, at now: Instant) -> StreamStep
}

extension SetupStream {
  mutating func nextReply(_ agent: AgentCore) -> StreamStep { nextReply(agent.setupCore, at: agent.now) }
}

/// A stream that reads the devices in sight, and the items.
protocol DeviceStream: ReplyStream {
  mutating func nextReply(_ dataPath: borrowing ManifestDataPath) -> StreamStep
}

extension DeviceStream {
  mutating func nextReply(_ agent: AgentCore) -> StreamStep { nextReply(agent.dataPath) }
}

/// A stream that waits for a connection of an app to its accessory.
protocol LinkStream: ReplyStream {
  mutating func nextReply(_ links: borrowing AccessoryLinks, at now: Instant) -> StreamStep
}

extension LinkStream {
  mutating func nextReply(_ agent: AgentCore) -> StreamStep { nextReply(agent.links, at: agent.now) }
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
