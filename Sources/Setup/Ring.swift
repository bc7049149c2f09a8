// SPDX-License-Identifier: GPL-3.0-or-later

/// The last elements of one numbering, for readers that lag or come back.
///
/// Capacity: `capacity` elements; a further one replaces the oldest. A reader that had not read it learns how many it missed.
public struct Ring<Element: Sendable>: Sendable {
  /// The result of reading.
  public enum Reading: Sendable {
    case element(sequence: UInt64, Element)
    /// How many were overwritten; the reader is now at the oldest one left.
    case missed(UInt64)
    /// Nothing new.
    case end
    /// The number has not been given yet: it is from another run.
    case reset
  }

  public let capacity: Int
  private var elements: [Element] = []
  /// The number of the next element.
  public private(set) var produced: UInt64 = 0

  public init(capacity: Int) {
    precondition(capacity > 0, "a ring has room for an element")
    self.capacity = capacity
    elements.reserveCapacity(capacity)
  }

  /// The oldest number that can still be read.
  public var oldest: UInt64 { produced - UInt64(elements.count) }

  public mutating func append(_ element: Element) {
    if elements.count < capacity {
      elements.append(element)
    } else {
      elements[Int(produced % UInt64(capacity))] = element
    }
    produced += 1
  }

  /// Reads at a number and advances it.
  public func read(_ sequence: inout UInt64) -> Reading {
    guard sequence <= produced else { return .reset }
    guard sequence >= oldest else {
      let missed = oldest - sequence
      sequence = oldest
      return .missed(missed)
    }
    guard sequence < produced else { return .end }
    defer { sequence += 1 }
    return .element(sequence: sequence, elements[Int(sequence % UInt64(capacity))])
  }
}
