// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem
import Manifest
import Setup

/// The owner of a descriptor that the loop watches.
enum EpollOwner: Sendable {
  case signals, timer, listener, disk, devices, radio, management, touch
  case client(ClientID)
}

/// What every part of the loop works with during a turn.
struct LoopContext: ~Copyable {
  /// The descriptors watched beside clients: signals, timer, listener, two workers, radio, mgmt socket, touch program.
  static let ownDescriptorCount = 8

  var agent: AgentCore
  var epoll: Epoll
  var registry: EpollRegistry<EpollOwner>
  var log: Log
  var limiter = LogLimiter<StrangerKind>()
  var counters = LoopCounters()
  /// The time of the turn.
  var now = Instant(microseconds: 0)

  init(_ agent: AgentCore, connections: Int, _ log: Log) throws(SystemError) {
    self.agent = agent
    self.log = log
    epoll = try Epoll()
    registry = EpollRegistry(capacity: connections + Self.ownDescriptorCount)
  }

  /// Returns the token of one of the loop's own descriptors, for which there is always a place.
  mutating func insert(_ owner: EpollOwner) -> UInt64 {
    guard let token = registry.insert(owner) else { preconditionFailure("there are places for our own") }
    return token
  }

  /// Logs a line, unless too many lines of its kind came before.
  mutating func say(_ level: LogLevel, _ sentence: String, limitedAs kind: StrangerKind?) {
    var sentence = sentence
    if let kind {
      guard let held = limiter.admit(kind, at: now) else { return }
      if held > 0 { sentence += " (and \(held) more like this since the last such line)" }
    }
    log.say(level, sentence)
  }

  mutating func growRegistry(connections: Int) {
    registry.grow(to: connections + Self.ownDescriptorCount)
  }
}
