// SPDX-License-Identifier: GPL-3.0-or-later

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
