// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

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
