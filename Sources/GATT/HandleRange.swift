// SPDX-License-Identifier: Apache-2.0

/// Attribute handles from `start` to `end`, both included (Core Specification 5.4, Volume 3, Part F, 3.2.2).
public struct HandleRange: Hashable, Sendable {
  public let start: UInt16
  public let end: UInt16

  /// Returns nil when the range is empty or contains handle 0, which no attribute has.
  public init?(_ start: UInt16, _ end: UInt16) {
    guard start > 0, start <= end else { return nil }
    self.start = start
    self.end = end
  }

  /// A range that the program itself knows to be one.
  init(known start: UInt16, _ end: UInt16) {
    precondition(start > 0 && start <= end, "a range has a first and a last handle")
    self.start = start
    self.end = end
  }

  public static let all = HandleRange(known: 1, 0xFFFF)

  public func contains(_ handle: UInt16) -> Bool { handle >= start && handle <= end }

  /// Whether a handle is in both ranges.
  public func overlaps(_ other: HandleRange) -> Bool { start <= other.end && other.start <= end }

  /// What follows `handle` in this range; nil at its end.
  func after(_ handle: UInt16) -> HandleRange? {
    guard handle < end else { return nil }
    return HandleRange(known: max(start, handle + 1), end)
  }
}
