// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Manifest

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

/// The loop's clock: the machine's boot time since the loop was created, or the time that a test sets.
struct LoopClock {
  /// 2026-01-01; an earlier wall clock is not set yet.
  private static let firstSensibleSeconds: Int64 = 1_767_225_600

  /// Boot time of the instant 0, in microseconds; nil if no timer is to wake the loop, because a test moves the time.
  let origin: Int64?
  let now: () throws(SystemError) -> Instant
  /// The time of day in seconds since 1970; nil while the machine's clock is not set.
  var wallSeconds: () -> Int64? = { nil }

  /// The machine's clock, beginning now.
  static func machine() throws(SystemError) -> LoopClock {
    let origin = try BootTime.now()
    return LoopClock(
      origin: origin,
      now: { () throws(SystemError) in Instant(microseconds: try BootTime.now() - origin) },
      wallSeconds: { Self.machineSeconds })
  }

  /// Machines without a battery-backed clock start in 1970 and are set later.
  private static var machineSeconds: Int64? {
    guard let seconds = (try? WallTime.now())?.wholeSeconds, seconds >= firstSensibleSeconds else {
      return nil
    }
    return seconds
  }
}

/// The loop's dependencies besides its socket and disk. Tests replace the clock, radios, programs
/// and connections to accessories.
struct LoopDependencies {
  typealias ProgramStart =
    (_ arguments: [String], _ account: ConfinedProgram.Account) throws(SystemError) -> ConfinedProgram

  var clock: LoopClock
  /// Runs on the devices worker's thread.
  var performTask: @Sendable (AdapterTask) -> AdapterTaskResult = AdapterTask.performer()
  var startProgram: ProgramStart = LoopDependencies.confined
  var openLink: LinkSockets.Open = { request throws(SystemError) in try LinkSocket(request) }

  static func machine() throws(SystemError) -> LoopDependencies { LoopDependencies(clock: try .machine()) }

  static func confined(
    _ arguments: [String], _ account: ConfinedProgram.Account
  ) throws(SystemError) -> ConfinedProgram {
    try ConfinedProgram(arguments, as: account)
  }
}
