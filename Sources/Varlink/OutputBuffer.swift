// SPDX-License-Identifier: Apache-2.0

/// Messages that wait for the socket.
///
/// Capacity: `byteCountMax` bytes. A message that does not fit is refused and counted; accepted messages are sent complete
/// and in order. Memory grows with the waiting messages; when the last one is sent, all but 8 KiB is released.
public struct OutputBuffer: Sendable {
  public let byteCountMax: Int
  private var bytes: [UInt8] = []
  /// The index of the first byte that the socket did not take.
  private var start = 0
  /// How many messages did not fit, and their bytes.
  public private(set) var refusedMessages: UInt64 = 0
  public private(set) var refusedBytes: UInt64 = 0

  public init(byteCountMax: Int = 64 << 10) {
    precondition(byteCountMax > 0, "a message has bytes")
    self.byteCountMax = byteCountMax
  }

  /// How many bytes wait.
  public var byteCount: Int { bytes.count - start }

  public var isEmpty: Bool { byteCount == 0 }

  /// The size of the longest message that fits now.
  public var freeByteCount: Int { byteCountMax - byteCount }

  /// Adds a message with its NUL. Returns whether it fits.
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

  /// Offers all bytes to `send`, which returns how many of the first ones it took.
  public mutating func drain<Failure>(_ send: (Span<UInt8>) throws(Failure) -> Int) throws(Failure) {
    guard !isEmpty else { return }
    let count = try send(bytes.span.extracting(droppingFirst: start))
    precondition(count >= 0 && count <= byteCount, "no more can be sent than was offered")
    start += count
    if isEmpty { dropSent() }
  }

  private mutating func dropSent() {
    bytes.drop(start)
    start = 0
  }
}

extension [UInt8] {
  /// Removes the first bytes; when these are all, no more than 8 KiB of memory is kept.
  mutating func drop(_ byteCount: Int) {
    if byteCount < count {
      removeSubrange(..<byteCount)
    } else if capacity > 8 << 10 {
      self = []
    } else {
      removeAll(keepingCapacity: true)
    }
  }
}
