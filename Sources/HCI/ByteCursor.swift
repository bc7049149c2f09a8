// SPDX-License-Identifier: GPL-3.0-or-later

/// Reads borrowed bytes from front to back; multi-octet values are little-endian, as everywhere in HCI.
///
/// Every read answers nil when too few octets are left, and then consumes nothing.
@frozen
public struct ByteCursor: ~Escapable {
  /// All the bytes, those already read included.
  public let bytes: RawSpan
  @usableFromInline var offset: Int

  @inlinable
  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan) {
    self.bytes = bytes
    self.offset = 0
  }

  /// Octets read so far.
  @inlinable
  public var position: Int { offset }

  /// Octets not yet read.
  @inlinable
  public var remaining: Int { bytes.byteCount &- offset }

  /// Steps over `count` octets that the caller has just looked at.
  @inlinable
  @_lifetime(self: copy self)
  mutating func consume(_ count: Int) { offset &+= count }

  @inlinable
  @_lifetime(self: copy self)
  public mutating func uint8() -> UInt8? {
    guard remaining >= 1 else { return nil }
    defer { consume(1) }
    return bytes.uint8(at: position)
  }

  @inlinable
  @_lifetime(self: copy self)
  public mutating func uint16() -> UInt16? {
    guard remaining >= 2 else { return nil }
    defer { consume(2) }
    return bytes.uint16(at: position)
  }

  @inlinable
  @_lifetime(self: copy self)
  public mutating func uint32() -> UInt32? {
    guard remaining >= 4 else { return nil }
    defer { consume(4) }
    return bytes.uint32(at: position)
  }

  /// The next `count` octets, borrowed.
  @inlinable
  @_lifetime(copy self)
  public mutating func span(_ count: Int) -> RawSpan? {
    guard count >= 0, remaining >= count else { return nil }
    defer { consume(count) }
    return bytes.extracting(position..<(position &+ count))
  }

  /// Everything not yet read, borrowed.
  @inlinable
  @_lifetime(copy self)
  public mutating func rest() -> RawSpan {
    defer { consume(remaining) }
    return bytes.extracting(position..<bytes.byteCount)
  }
}
