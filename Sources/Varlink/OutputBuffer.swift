// SPDX-License-Identifier: Apache-2.0

/// Messages on their way out, until the socket takes them.
///
/// Capacity: `byteCountMax` octets. A message that does not fit is refused whole and counted; what was accepted leaves
/// whole and in order. Memory is taken as messages wait, and given back when the last has left, but for a little.
public struct OutputBuffer: Sendable {
  public let byteCountMax: Int
  private var bytes: [UInt8] = []
  /// The first octet that the socket did not take.
  private var start = 0
  /// Messages, and their octets, that did not fit.
  public private(set) var refusedMessages: UInt64 = 0
  public private(set) var refusedBytes: UInt64 = 0

  public init(byteCountMax: Int = 64 << 10) {
    precondition(byteCountMax > 0, "a message has octets")
    self.byteCountMax = byteCountMax
  }

  /// Octets that still have to leave.
  public var byteCount: Int { bytes.count - start }

  public var isEmpty: Bool { byteCount == 0 }

  /// Octets of the longest message that would fit now.
  public var freeByteCount: Int { byteCountMax - byteCount }

  /// Adds a message, its NUL included. Answers whether it fitted.
  public mutating func append(_ message: [UInt8]) -> Bool {
    guard message.count <= freeByteCount else {
      refusedMessages &+= 1
      refusedBytes &+= UInt64(message.count)
      return false
    }
    if bytes.count + message.count > byteCountMax { dropSent() }
    bytes.append(contentsOf: message)
    return true
  }

  /// Offers everything to `send`, which answers how many of the first octets it took.
  public mutating func drain<Failure>(_ send: (Span<UInt8>) throws(Failure) -> Int) throws(Failure) {
    guard !isEmpty else { return }
    let count = try send(bytes.span.extracting(droppingFirst: start))
    precondition(count >= 0 && count <= byteCount, "no more can be sent than was offered")
    start += count
    if isEmpty { dropSent() }
  }

  private mutating func dropSent() {
    if isEmpty {
      bytes.forget()
    } else {
      bytes.removeSubrange(..<start)
    }
    start = 0
  }
}

extension [UInt8] {
  /// Removes everything and keeps no more than 8 KiB of memory.
  mutating func forget() {
    if capacity > 8 << 10 {
      self = []
    } else {
      removeAll(keepingCapacity: true)
    }
  }
}
