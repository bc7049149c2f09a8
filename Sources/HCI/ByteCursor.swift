// SPDX-License-Identifier: GPL-3.0-or-later

/// Reads a layout from borrowed bytes, top to bottom. Each read returns nil, and consumes nothing, when too few bytes
/// are left.
///
/// Numbers are least significant byte first, as HCI and mgmt write them, unless a name says otherwise.
@frozen
public struct ByteCursor: ~Escapable {
  @usableFromInline let bytes: RawSpan
  @usableFromInline var position = 0

  @inlinable
  @inline(__always)
  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan) {
    self.bytes = bytes
  }

  /// Bytes consumed so far.
  @inlinable
  public var offset: Int {
    @inline(__always) get { position }
  }

  /// Bytes that are left.
  @inlinable
  public var byteCount: Int {
    @inline(__always) get { bytes.byteCount &- position }
  }

  /// The rest, borrowed; nothing is consumed.
  @inlinable
  public var rest: RawSpan {
    @inline(__always)
    @_lifetime(copy self)
    get {
      // Holds: no more bytes were consumed than there are.
      unsafe bytes.uncheckedSlice(at: position, count: byteCount)
    }
  }

  /// Consumes `count` bytes and returns where they start, or nil when fewer are left.
  @inlinable
  @inline(__always)
  mutating func advance(by count: Int) -> Int? {
    guard count >= 0, byteCount >= count else { return nil }
    defer { position &+= count }
    return position
  }

  @inlinable
  @inline(__always)
  public mutating func uint8() -> UInt8? {
    guard let start = advance(by: 1) else { return nil }
    // Holds, here and below: `advance` has checked that the bytes lie inside the span, and any bit pattern is a number.
    return unsafe bytes.uncheckedUInt8(at: start)
  }

  @inlinable
  @inline(__always)
  public mutating func int8() -> Int8? { uint8().map(Int8.init(bitPattern:)) }

  @inlinable
  @inline(__always)
  public mutating func uint16() -> UInt16? {
    guard let start = advance(by: 2) else { return nil }
    return unsafe bytes.uncheckedUInt16(at: start)
  }

  @inlinable
  @inline(__always)
  public mutating func uint32() -> UInt32? {
    guard let start = advance(by: 4) else { return nil }
    return unsafe bytes.uncheckedUInt32(at: start)
  }

  /// Six bytes: a device address.
  @inlinable
  @inline(__always)
  public mutating func uint48() -> UInt64? {
    guard let start = advance(by: 6) else { return nil }
    return unsafe UInt64(bytes.uncheckedUInt32(at: start)) | UInt64(bytes.uncheckedUInt16(at: start &+ 4))
      << 32
  }

  @inlinable
  @inline(__always)
  public mutating func uint64() -> UInt64? {
    guard let start = advance(by: 8) else { return nil }
    return unsafe bytes.uncheckedUInt64(at: start)
  }

  /// Four bytes, most significant first.
  @inlinable
  public mutating func bigEndianUInt32() -> UInt32? { uint32()?.byteSwapped }

  /// Eight bytes, most significant first.
  @inlinable
  public mutating func bigEndianUInt64() -> UInt64? { uint64()?.byteSwapped }

  /// The next `count` bytes, borrowed.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  public mutating func bytes(_ count: Int) -> RawSpan? {
    guard let start = advance(by: count) else { return nil }
    // Holds: `advance` has checked that the bytes lie inside the span.
    return unsafe bytes.uncheckedSlice(at: start, count: count)
  }

  /// Consumes `count` bytes unread. Returns whether they were there.
  @inlinable
  @inline(__always)
  public mutating func skip(_ count: Int) -> Bool { advance(by: count) != nil }

  /// Consumes everything that is left: an error has made it unreadable.
  @inlinable
  public mutating func skipToEnd() { position = bytes.byteCount }
}
