// SPDX-License-Identifier: GPL-3.0-or-later

/// How long what the radio sent waited in the kernel until it was read, in microseconds of the wall clock. A clock that
/// is set in between makes a delay that means nothing: those below nothing or over a minute are left out.
public struct QueueingDelay: Equatable, Sendable {
  private static let sensible: ClosedRange<Int64> = 0...60_000_000

  public private(set) var count: UInt64 = 0
  public private(set) var sum: Int64 = 0
  public private(set) var longest: Int64 = 0

  public init() {}

  /// Nil before there was any.
  public var mean: Int64? { count == 0 ? nil : sum / Int64(clamping: count) }

  mutating func add(_ microseconds: Int64) {
    guard Self.sensible.contains(microseconds) else { return }
    count &+= 1
    sum &+= microseconds
    longest = max(longest, microseconds)
  }
}
