// SPDX-License-Identifier: GPL-3.0-or-later

/// The one place where raw bytes are indexed. Every load checks its bounds once and traps on a mistake of the caller;
/// readers measure bytes from outside before they come here.
extension RawSpan {
  /// The byte at `offset`.
  @inlinable
  public func uint8(at offset: Int) -> UInt8 {
    precondition(UInt(bitPattern: offset) < UInt(bitPattern: byteCount))
    // Holds: one byte at `offset` lies inside the span, and any bit pattern is a UInt8.
    return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// Two bytes, least significant first.
  @inlinable
  public func uint16(at offset: Int) -> UInt16 {
    precondition(offset >= 0 && offset <= byteCount &- 2)
    // Holds: both bytes lie inside the span, and any bit pattern is a UInt16.
    return UInt16(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
  }

  /// Four bytes, least significant first.
  @inlinable
  public func uint32(at offset: Int) -> UInt32 {
    precondition(offset >= 0 && offset <= byteCount &- 4)
    // Holds: all four bytes lie inside the span, and any bit pattern is a UInt32.
    return UInt32(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
  }

  /// Eight bytes, least significant first.
  @inlinable
  public func uint64(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= byteCount &- 8)
    // Holds: all eight bytes lie inside the span, and any bit pattern is a UInt64.
    return UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// The eight bytes from `offset` on, least significant first, zeros standing for those past the end.
  @inlinable
  @inline(__always)
  public func paddedUInt64(at offset: Int) -> UInt64 {
    byteCount &- offset >= 8 ? uint64(at: offset) : shortUInt64(at: offset)
  }

  /// The bytes from `offset` on, fewer than eight.
  @usableFromInline
  @inline(never)
  func shortUInt64(at offset: Int) -> UInt64 {
    let left = byteCount &- offset
    if left <= 0 { return 0 }
    if byteCount >= 8 { return uint64(at: byteCount &- 8) >> UInt64(truncatingIfNeeded: 64 &- 8 &* left) }
    var word: UInt64 = 0
    var index = left &- 1
    while index >= 0 {
      word = word << 8 | UInt64(uint8(at: offset &+ index))
      index &-= 1
    }
    return word
  }

  /// `count` bytes from `offset` on, borrowed.
  @inlinable
  @_lifetime(copy self)
  public func slice(at offset: Int, count: Int) -> RawSpan {
    precondition(offset >= 0 && count >= 0 && offset <= byteCount &- count)
    // Holds: the range lies inside the span, as just checked.
    return unsafe extracting(unchecked: Range(uncheckedBounds: (lower: offset, upper: offset &+ count)))
  }

  /// The bytes up to the last one that is not zero.
  public var withoutTrailingNULs: RawSpan {
    @_lifetime(copy self) get {
      var count = byteCount
      while count > 0, uint8(at: count &- 1) == 0 { count &-= 1 }
      return slice(at: 0, count: count)
    }
  }

  /// Whether both spans hold the same bytes.
  @inlinable
  @inline(__always)
  public func equals(_ other: RawSpan) -> Bool {
    let count = byteCount
    guard count == other.byteCount else { return false }
    guard count >= 8 else { return paddedUInt64(at: 0) == other.paddedUInt64(at: 0) }
    // Holds, here and below: both spans have `count` bytes. Words may overlap.
    var differences = unsafe difference(from: other, at: 0) | difference(from: other, at: count &- 8)
    if count <= 16 { return differences == 0 }
    unsafe differences |= difference(from: other, at: 8) | difference(from: other, at: count &- 16)
    var offset = 16
    while offset < count &- 16, differences == 0 {
      differences = unsafe difference(from: other, at: offset)
      offset &+= 8
    }
    return differences == 0
  }

  /// Zero if the eight bytes from `offset` on are the same in both spans, which must have them.
  @inlinable
  @inline(__always)
  @unsafe
  func difference(from other: RawSpan, at offset: Int) -> UInt64 {
    unsafe uncheckedUInt64(at: offset) ^ other.uncheckedUInt64(at: offset)
  }

  /// Whether this span's first bytes are those of `prefix`.
  @inlinable
  public func starts(with prefix: RawSpan) -> Bool {
    prefix.byteCount <= byteCount && slice(at: 0, count: prefix.byteCount).equals(prefix)
  }
}

/// The same without the check, for readers that have just measured what they read. Each use gives its reason.
extension RawSpan {
  @inlinable
  @inline(__always)
  @unsafe
  func uncheckedUInt8(at offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  @inlinable
  @inline(__always)
  @unsafe
  func uncheckedUInt16(at offset: Int) -> UInt16 {
    UInt16(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
  }

  @inlinable
  @inline(__always)
  @unsafe
  func uncheckedUInt32(at offset: Int) -> UInt32 {
    UInt32(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
  }

  @inlinable
  @inline(__always)
  @unsafe
  func uncheckedUInt64(at offset: Int) -> UInt64 {
    UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// `count` bytes from `offset` on, of a span that is not empty.
  @inlinable
  @inline(__always)
  @unsafe
  @_lifetime(copy self)
  func uncheckedSlice(at offset: Int, count: Int) -> RawSpan {
    let start = unsafe withUnsafeBytes { unsafe $0.baseAddress.unsafelyUnwrapped + offset }
    let slice = unsafe RawSpan(_unsafeStart: start, byteCount: count)
    return unsafe _overrideLifetime(slice, copying: self)
  }
}

extension RawSpan {
  /// The event (code, length, parameters) of a packet whose indicator says that it holds one; nil for others.
  @inlinable
  public var eventOfPacket: RawSpan? {
    @_lifetime(copy self) @inline(__always) get {
      // Holds: a byte is there, of which the load and the slice are sure.
      guard byteCount > 0, unsafe uncheckedUInt8(at: 0) == PacketKind.event.rawValue else { return nil }
      return unsafe uncheckedSlice(at: 1, count: byteCount &- 1)
    }
  }
}

extension Span where Element == UInt8 {
  /// The same bytes as raw bytes.
  @inlinable
  public var rawBytes: RawSpan {
    // Holds: a byte has no padding that could be read uninitialised.
    @_lifetime(copy self) get { unsafe bytes }
  }
}
