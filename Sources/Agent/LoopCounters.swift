// SPDX-License-Identifier: GPL-3.0-or-later

/// What the shell around the agent did, for `Metrics`. Counters only grow.
public struct LoopCounters: Equatable, Sendable {
  public var turns: UInt64 = 0
  /// From waking up to having done everything: for so long a report had to wait at most.
  public private(set) var longestTurnMicroseconds: Int64 = 0
  /// Turns that read the radio, and packets that came of it.
  public var drains: UInt64 = 0
  public var packets: UInt64 = 0
  /// Reads from and writes to clients.
  public var clientCalls: UInt64 = 0
  /// Changes of what is watched, and of the alarm.
  public var watchCalls: UInt64 = 0
  /// How often no descriptor was free for somebody who connects.
  public var exhaustions: UInt64 = 0
  /// Events of descriptors that had been closed by then.
  public var staleEvents: UInt64 = 0
  /// Log lines that nobody read in time.
  public var logLinesDropped: UInt64 = 0

  /// Runs of the gateway's program for touches: by how they ended, and those that it had no time for.
  public var touchSignals = TouchCounters()

  public init() {}

  public mutating func turnTook(_ microseconds: Int64) {
    longestTurnMicroseconds = max(longestTurnMicroseconds, microseconds)
  }

  public var sentence: String {
    "the loop turned \(turns) times, for \(longestTurnMicroseconds) µs at most, read the radio in \(drains) of them for \(packets) packets, made \(clientCalls) "
      + "calls for clients and \(watchCalls) to watch, and was out of descriptors \(exhaustions) times"
  }
}

/// What became of the signals to the gateway's program for touches. Counters only grow.
public struct TouchCounters: Equatable, Sendable {
  /// It ended with status 0.
  public var done: UInt64 = 0
  /// It ended otherwise.
  public var failed: UInt64 = 0
  /// It was killed because it took too long.
  public var overdue: UInt64 = 0
  /// It could not be run.
  public var notRun: UInt64 = 0
  /// As many waited as may, or the manifest names no program any more.
  public var dropped: UInt64 = 0

  public init() {}
}
