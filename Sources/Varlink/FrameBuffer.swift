// SPDX-License-Identifier: Apache-2.0

/// Received bytes until their messages are taken: JSON objects, each followed by one NUL (varlink.org, "Protocol").
///
/// Capacity: one message of `frameBytesMax` bytes and its NUL. The caller adds at most ``freeByteCount`` bytes; further
/// messages wait in the kernel and then at their sender. Every byte is examined once.
public struct FrameBuffer: Sendable {
  public let frameBytesMax: Int
  private var bytes: [UInt8] = []
  /// The index of the first byte that was not taken.
  private var start = 0
  /// Bytes before this index are no NUL.
  private var searched = 0
  private var unfinishedSince: Duration?

  public init(frameBytesMax: Int = 16 << 10) {
    precondition(frameBytesMax > 0, "a message has bytes")
    self.frameBytesMax = frameBytesMax
  }

  /// How many bytes were not taken yet.
  public var byteCount: Int { bytes.count - start }

  /// How many bytes can be added now.
  public var freeByteCount: Int { frameBytesMax + 1 - byteCount }

  /// When the unfinished message was first seen, a time given to ``takeMessage(at:_:)``; nil when no message has begun, or
  /// a complete one waits.
  public var frameUnfinishedSince: Duration? { unfinishedSince }

  /// Adds received bytes, at most ``freeByteCount``.
  public mutating func append(_ received: Span<UInt8>) {
    precondition(received.count <= freeByteCount, "more was received than there was room for")
    if byteCount == 0 || bytes.count + received.count > frameBytesMax + 1 { dropTaken() }
    // Grow as needed: bytes that a client has not sent cost nothing.
    let needed = bytes.count + received.count
    if bytes.capacity < needed {
      bytes.reserveCapacity(max(needed, min(2 * bytes.capacity, frameBytesMax + 1)))
    }
    for index in received.indices { bytes.append(received[index]) }
  }

  /// Passes the next complete message, without its NUL, to `body`; returns nil when there is none yet.
  public mutating func takeMessage<Message>(
    at time: Duration, _ body: (Span<UInt8>) -> Message
  ) throws(FrameError) -> Message? {
    while searched < bytes.count, bytes[searched] != 0 { searched += 1 }
    guard searched < bytes.count else {
      guard byteCount <= frameBytesMax else { throw .oversized(byteCount: byteCount) }
      if byteCount > 0, unfinishedSince == nil { unfinishedSince = time }
      return nil
    }
    unfinishedSince = nil
    defer {
      start = searched + 1
      searched = start
    }
    return body(bytes.span.extracting(start..<searched))
  }

  /// Throws when the stream ended inside a message; complete messages can still be taken.
  public func checkEnd() throws(FrameError) {
    guard let last = bytes.last, byteCount > 0, last != 0 else { return }
    throw .truncated(byteCount: bytes[start...].reversed().prefix { $0 != 0 }.count)
  }

  private mutating func dropTaken() {
    bytes.drop(start)
    searched -= start
    start = 0
  }
}

/// Why no more messages can be read.
public enum FrameError: Error, Equatable, Sendable {
  /// This many bytes were received without the NUL that ends a message.
  case oversized(byteCount: Int)
  /// The stream ended inside a message, after this many of its bytes.
  case truncated(byteCount: Int)
}
