// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem
import Manifest
import Setup

/// The owner of a descriptor that the loop watches.
enum EpollOwner: Sendable {
  case signals, timer, disk, devices, radio, mgmt, pairing, bluetoothd, bus
  case program(SignalProgramKind)
  /// The agent's own socket, or that of an app.
  case listener(app: String?)
  case client(ClientID)
  /// The process of a client that has left its session.
  case process(ClientID)
  case link(LinkID)
  case reports(ReportStreamID)
}

/// A descriptor that the loop watches. Closing the descriptor removes it from the epoll set; an event that is on its way is
/// stale once its token was removed.
struct WatchedDescriptor {
  let shared: SharedDescriptor
  let token: UInt64
  private var readiness: Readiness

  init(
    _ shared: SharedDescriptor, for readiness: Readiness = .readable, as owner: EpollOwner,
    _ loop: inout LoopContext
  ) throws(SystemError) {
    token = try loop.watch(shared.descriptor, for: readiness, as: owner)
    (self.shared, self.readiness) = (shared, readiness)
  }

  /// Changes what the descriptor is watched for.
  mutating func watch(for readiness: Readiness, _ loop: inout LoopContext) throws(SystemError) {
    guard readiness != self.readiness else { return }
    loop.counters.watchCalls &+= 1
    try loop.epoll.change(shared.descriptor, readiness, token: token)
    self.readiness = readiness
  }
}

/// The values that every part of the loop uses during a turn.
struct LoopContext: ~Copyable {
  /// The descriptors watched beside clients: signals, timer, listener, two workers, radio, mgmt socket, mgmt socket for
  /// pairings, two programs, bluetoothd's process, system bus.
  static let ownDescriptorCount = 12

  var agent: AgentCore
  var epoll: Epoll
  var registry: EpollRegistry<EpollOwner>
  var log: Log
  var limiter = LogLimiter<LimitedLineKind>()
  var counters = LoopCounters()
  /// The time of the turn.
  var now = Instant(microseconds: 0)

  init(_ agent: AgentCore, connections: Int, _ log: Log) throws(SystemError) {
    self.agent = agent
    self.log = log
    epoll = try Epoll()
    registry = EpollRegistry(capacity: Self.descriptorCount(connections: connections))
  }

  /// Returns the token of one of the loop's own descriptors or of a connection's socket, for which a slot is always free.
  mutating func insert(_ owner: EpollOwner) -> UInt64 {
    guard let token = registry.insert(owner) else {
      preconditionFailure("the registry has a slot for each of the loop's own descriptors and sockets")
    }
    return token
  }

  /// Watches a descriptor for its owner. Returns the token. Without a free slot it fails as the kernel does without memory.
  mutating func watch(
    _ descriptor: borrowing Descriptor, for readiness: Readiness = .readable, as owner: EpollOwner
  ) throws(SystemError) -> UInt64 {
    guard let token = registry.insert(owner) else { throw SystemError(.epollControl, code: 12) }
    do throws(SystemError) {
      counters.watchCalls &+= 1
      try epoll.add(descriptor, readiness, token: token)
      return token
    } catch {
      registry.remove(token)
      throw error
    }
  }

  /// Logs a line, unless one of its kind was logged less than a minute ago.
  mutating func say(_ level: LogLevel, _ sentence: String, limitedAs kind: LimitedLineKind?) {
    var sentence = sentence
    if let kind {
      guard let held = limiter.admit(kind, at: now) else { return }
      if held > 0 { sentence += " (and \(held) more like this since the last such line)" }
    }
    log.say(level, sentence)
  }

  /// `connections` includes the apps' own sockets.
  mutating func growRegistry(connections: Int) {
    registry.grow(to: Self.descriptorCount(connections: connections))
  }

  private static func descriptorCount(connections: Int) -> Int {
    // A client, and the process of one that has left.
    2 * connections + AgentCore.extraConnectionsMax + AgentCore.linksMax + AgentCore.reportStreamsMax
      + ownDescriptorCount
  }
}
