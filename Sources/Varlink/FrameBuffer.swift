// SPDX-License-Identifier: Apache-2.0

/// Octets that came in, until their messages are taken: JSON objects, each ended by one NUL (varlink.org,
/// "Protocol").
///
/// Capacity: one message of `frameBytesMax` octets and its NUL, taken as it comes. Whoever fills it
/// offers no more than ``freeByteCount``, so that messages beyond wait in the kernel and then at their sender. Every
/// octet is looked at once.
public struct FrameBuffer: Sendable {
  public let frameBytesMax: Int
  private var bytes: [UInt8] = []
  /// The first octet that was not taken.
  private var start = 0
  /// Octets before here hold no NUL.
  private var searched = 0
  private var unfinishedSince: Duration?

  public init(frameBytesMax: Int = 16 << 10) {
    precondition(frameBytesMax > 0, "a message has octets")
    self.frameBytesMax = frameBytesMax
  }

  /// Octets that were not taken yet.
  public var byteCount: Int { bytes.count - start }

  /// How many octets can be fed now.
  public var freeByteCount: Int { frameBytesMax + 1 - byteCount }

  /// Since when the message that is due has been unfinished: a time given to ``takeMessage(at:_:)``; nil while none has
  /// begun, or a whole one waits to be taken.
  public var frameUnfinishedSince: Duration? { unfinishedSince }

  /// Adds what was received; at most ``freeByteCount`` octets.
  public mutating func append(_ received: Span<UInt8>) {
    precondition(received.count <= freeByteCount, "more was received than there was room for")
    if byteCount == 0 || bytes.count + received.count > frameBytesMax + 1 { dropTaken() }
    // What a client has not sent costs nothing, and one growth at a time is enough.
    let needed = bytes.count + received.count
    if bytes.capacity < needed {
      bytes.reserveCapacity(max(needed, min(2 * bytes.capacity, frameBytesMax + 1)))
    }
    for index in received.indices { bytes.append(received[index]) }
  }

  /// Hands the next whole message, without its NUL, to `body`; nil when there is none yet.
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

  /// Checks, at the end of the stream, that it did not end inside a message; whole ones can still be taken.
  public func checkEnd() throws(FrameError) {
    guard let last = bytes.last, byteCount > 0, last != 0 else { return }
    throw .truncated(byteCount: bytes[start...].reversed().prefix { $0 != 0 }.count)
  }

  private mutating func dropTaken() {
    if byteCount == 0 {
      bytes.forget()
    } else {
      bytes.removeSubrange(..<start)
    }
    searched -= start
    start = 0
  }
}

/// Why a stream of messages cannot be read on.
public enum FrameError: Error, Equatable, Sendable {
  /// So many octets came without the NUL that ends a message.
  case oversized(byteCount: Int)
  /// The stream ended inside a message of which so many octets had come.
  case truncated(byteCount: Int)
}
