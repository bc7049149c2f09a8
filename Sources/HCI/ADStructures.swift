// SPDX-License-Identifier: GPL-3.0-or-later

/// One AD structure, borrowed: its type and value (Core Specification 5.4, Volume 3, Part C, 11).
@frozen
public struct ADStructure: ~Escapable {
  public let type: UInt8
  /// Where the structure's length byte lies in the payload.
  public let offset: Int
  /// Bytes of the value.
  public let byteCount: Int
  @usableFromInline let payload: RawSpan

  /// The structure whose length byte, `byteCount` + 1, lies at `offset`; all of it lies inside the payload.
  @inlinable
  @inline(__always)
  @_lifetime(copy payload)
  init(in payload: RawSpan, at offset: Int, type: UInt8, byteCount: Int) {
    self.type = type
    self.offset = offset
    self.byteCount = byteCount
    self.payload = payload
  }

  @inlinable
  public var value: RawSpan {
    @inline(__always)
    @_lifetime(copy self)
    get {
      // Holds: the structure lies inside the payload by its initialiser's contract.
      unsafe payload.uncheckedSlice(at: offset &+ 2, count: byteCount)
    }
  }
}

/// A part of a payload that was lost, and its offset.
public struct MalformedStructureError: Error, Equatable, Sendable, BitwiseCopyable {
  /// The kinds of loss, in the order of their counters.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// A length byte promises more bytes than follow: the rest of the payload is lost.
    case lengthPastEnd
    /// Bytes other than zero after the zero length that ends a payload early: they are lost.
    case dataAfterEnd
    /// A value whose size its type does not allow: only that value is lost, and of a list only its last element.
    case wrongSize
  }

  /// Offset of the structure's length byte; for `dataAfterEnd`, of the first byte that is not zero.
  public let offset: Int
  public let kind: Kind

  @inlinable
  public init(offset: Int, kind: Kind) {
    self.offset = offset
    self.kind = kind
  }
}

/// The AD structures of a payload, in order.
///
/// A zero length ends the payload early. A length past the end loses itself and the rest; the structures before it
/// have been delivered.
@frozen
public struct ADStructures: ~Escapable {
  @usableFromInline let payload: RawSpan
  @usableFromInline var offset = 0

  @inlinable
  @_lifetime(copy payload)
  public init(_ payload: RawSpan) { self.payload = payload }

  /// Starts at the structure whose length byte lies at `offset`.
  @inlinable
  @_lifetime(copy payload)
  public init(_ payload: RawSpan, from offset: Int) {
    precondition(offset >= 0)
    self.payload = payload
    self.offset = offset
  }

  /// The next structure, or nil at the end. After an error there is no further structure.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  public mutating func next() throws(MalformedStructureError) -> ADStructure? {
    let start = offset
    guard start < payload.byteCount else { return nil }
    // Holds: at least one byte is left, and offsets are never negative.
    let length = Int(unsafe payload.uncheckedUInt8(at: start))
    let end = start &+ length
    guard length != 0 else {
      offset = payload.byteCount
      try Self.checkPadding(of: payload, from: start)
      return nil
    }
    guard end < payload.byteCount else {
      offset = payload.byteCount
      throw MalformedStructureError(offset: start, kind: .lengthPastEnd)
    }
    offset = end &+ 1
    // Holds: `length` bytes, the type among them, follow inside the payload.
    let type = unsafe payload.uncheckedUInt8(at: start &+ 1)
    return ADStructure(in: payload, at: start, type: type, byteCount: length &- 1)
  }

  /// Checks what follows a zero length.
  @usableFromInline
  static func checkPadding(of payload: RawSpan, from start: Int) throws(MalformedStructureError) {
    for index in start..<payload.byteCount where payload.uint8(at: index) != 0 {
      throw MalformedStructureError(offset: index, kind: .dataAfterEnd)
    }
  }
}
