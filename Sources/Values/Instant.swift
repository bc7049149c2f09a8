// SPDX-License-Identifier: Apache-2.0

/// A point in time, in microseconds from a start that only the caller knows (boot, or a capture's first record).
///
/// The data path never reads a clock: every input carries its instant.
@frozen
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var microseconds: Int64

  @inlinable
  public init(microseconds: Int64) { self.microseconds = microseconds }

  @inlinable
  public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

  /// This instant moved by a number of milliseconds, which may be negative.
  @inlinable
  public func advanced(milliseconds: Int64) -> Instant {
    Instant(microseconds: microseconds &+ milliseconds &* 1000)
  }

  /// Milliseconds from `earlier` to this instant, rounded towards zero.
  @inlinable
  public func milliseconds(since earlier: Instant) -> Int64 {
    (microseconds &- earlier.microseconds) / 1000
  }

  /// Milliseconds modulo 2^32 (49 days), for tables that keep many times.
  @inlinable
  public var wrappedMilliseconds: UInt32 { UInt32(truncatingIfNeeded: microseconds / 1000) }

  /// Returns the earlier of two times, each of which may be nil.
  @inlinable
  public static func earliest(_ one: Instant?, _ other: Instant?) -> Instant? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}
