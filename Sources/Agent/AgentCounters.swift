// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
public import Manifest

/// What the agent did and refused, beside what the data path counts. Counters only grow.
public struct AgentCounters: Equatable, Sendable {
  public var reloads: UInt64 = 0
  public var reloadsRefused: UInt64 = 0
  /// Addresses of accessories that found no room among those that the device table keeps.
  public var accessoriesUnmarked: UInt64 = 0
  public var clients = ClientCounters()
  public var reception = ReceptionCounters()
  /// What the shell counts; it sets them before a turn.
  public var loop = LoopCounters()
}

/// Calls and connections.
public struct ClientCounters: Equatable, Sendable {
  /// Calls that were taken by connections that have ended, refused ones included.
  public var calls: UInt64 = 0
  /// Calls that were answered with an error.
  public var callsRefused: UInt64 = 0
  /// Turns in which a client sent more calls than one turn takes.
  public var yields: UInt64 = 0
  /// Connections that were closed for a message that was too long, or broke off.
  public var closedForFrame: UInt64 = 0
  /// Connections that were closed for a message that is no JSON.
  public var closedForJSON: UInt64 = 0
  /// Connections that were closed because a message, or the reading of the last replies, took too long.
  public var closedOverdue: UInt64 = 0
  /// Calls of operators' methods by other callers.
  public var permissionsDenied: UInt64 = 0
  /// Calls refused because too many of the same kind were in progress.
  public var busy: UInt64 = 0
}

/// What streams delivered, and what was overwritten before a slow client had read it.
public struct StreamCounters: Equatable, Sendable {
  /// Sighting events.
  public var eventsDelivered: UInt64 = 0
  public var eventsMissed: UInt64 = 0
  /// Packets of captures.
  public var packetsCaptured: UInt64 = 0
  public var packetsMissed: UInt64 = 0
  /// Batches of reports.
  public var reportBatches: UInt64 = 0
  /// Life-cycle events and advertisements for apps.
  public var appEventsDelivered: UInt64 = 0
  public var appEventsMissed: UInt64 = 0
}

/// How packets come from the kernel.
public struct ReceptionCounters: Equatable, Sendable {
  /// Packets that the kernel dropped because they were not read in time.
  public var drops: UInt64 = 0
  /// When the kernel was last seen to have dropped packets.
  public var lastDrop: Instant?
  /// How many bytes of the adapter's packets the kernel keeps.
  public var receiveBufferBytes = 0
  public var queueing = QueueingDelay()
  /// Messages of the management interface that were too short, and those with values that it does not have.
  public private(set) var mgmtMessagesTruncated: UInt64 = 0
  public private(set) var mgmtMessagesInvalid: UInt64 = 0

  /// Counts packets that the kernel has dropped since the last count.
  public mutating func countDrops(_ count: UInt64, at now: Instant) {
    drops &+= count
    lastDrop = now
  }

  mutating func count(_ error: MgmtError) {
    switch error {
    case .truncated: mgmtMessagesTruncated &+= 1
    case .invalidValue, .invalidDigits: mgmtMessagesInvalid &+= 1
    }
  }
}

/// How long packets waited in the kernel until they were read, in microseconds of the wall clock. A clock that is set in
/// between makes a delay that means nothing: delays below zero or over a minute are ignored.
public struct QueueingDelay: Equatable, Sendable {
  private static let sensible: ClosedRange<Int64> = 0...60_000_000

  public private(set) var count: UInt64 = 0
  public private(set) var sum: Int64 = 0
  public private(set) var longest: Int64 = 0

  /// Nil before there was any.
  public var mean: Int64? { count == 0 ? nil : sum / Int64(clamping: count) }

  public mutating func add(_ microseconds: Int64) {
    guard Self.sensible.contains(microseconds) else { return }
    count &+= 1
    sum &+= microseconds
    longest = max(longest, microseconds)
  }
}

/// What the loop around the agent did, for `Metrics`. Counters only grow.
public struct LoopCounters: Equatable, Sendable {
  public var turns: UInt64 = 0
  /// The longest time from waking up to having done everything: a report waited at most this long.
  public private(set) var longestTurnMicroseconds: Int64 = 0
  /// Turns that read the radio, and the packets that they read.
  public var drains: UInt64 = 0
  public var packets: UInt64 = 0
  /// Reads from and writes to clients.
  public var clientCalls: UInt64 = 0
  /// Changes of the epoll registrations, and of the timer.
  public var watchCalls: UInt64 = 0
  /// How often no file descriptor was free for a peer that connects.
  public var exhaustions: UInt64 = 0
  /// Events of file descriptors that had been closed meanwhile.
  public var staleEvents: UInt64 = 0
  /// Replies to programs on the system bus that were dropped because the bus did not read in time.
  public var busMessagesDropped: UInt64 = 0
  /// Log lines that were dropped because they were not read in time.
  public var logLinesDropped: UInt64 = 0

  /// Runs of the manifest's programs, by how they ended.
  public var programs: [SignalProgramKind: SignalProgramCounters] = [:]

  public init() {}

  public mutating func turnTook(_ microseconds: Int64) {
    longestTurnMicroseconds = max(longestTurnMicroseconds, microseconds)
  }

  public var sentence: String {
    "the loop turned \(turns) times, for \(longestTurnMicroseconds) µs at most, read the radio in \(drains) of them for \(packets) packets, made \(clientCalls) "
      + "calls for clients and \(watchCalls) to watch, and was out of descriptors \(exhaustions) times"
  }
}

/// How the runs of one of the manifest's programs ended. Counters only grow.
public struct SignalProgramCounters: Equatable, Sendable {
  /// It ended with status 0.
  public var done: UInt64 = 0
  /// It ended with another status, or by a signal.
  public var failed: UInt64 = 0
  /// It was killed because it took too long.
  public var overdue: UInt64 = 0
  /// It could not be run.
  public var notRun: UInt64 = 0
  /// The queue was full, or the manifest no longer names a program.
  public var dropped: UInt64 = 0

  public init() {}
}
