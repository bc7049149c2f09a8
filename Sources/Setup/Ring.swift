// SPDX-License-Identifier: GPL-3.0-or-later

/// The last events of one numbering, for readers that lag or come back.
///
/// Capacity: `capacity` elements; a further one takes the place of the oldest. Whoever had not read that learns how many
/// are gone: delivered and missed make up all that were produced.
public struct Ring<Element: Sendable>: Sendable {
  /// What a reader gets.
  public enum Reading: Sendable {
    case element(sequence: UInt64, Element)
    /// So many were overwritten; the reader now stands at the oldest one left.
    case missed(UInt64)
    /// Nothing new.
    case end
    /// The sequence number has not been given yet: it is of another run.
    case reset
  }

  public let capacity: Int
  private var elements: [Element] = []
  /// The number that comes next.
  public private(set) var produced: UInt64 = 0

  public init(capacity: Int) {
    precondition(capacity > 0, "a ring holds something")
    self.capacity = capacity
  }

  /// The oldest number that is still here.
  public var oldest: UInt64 { produced - UInt64(elements.count) }

  public mutating func append(_ element: Element) {
    if elements.count < capacity {
      elements.append(element)
    } else {
      elements[Int(produced % UInt64(capacity))] = element
    }
    produced += 1
  }

  /// Reads at a number and moves it on.
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
