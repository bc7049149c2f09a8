// SPDX-License-Identifier: GPL-3.0-or-later

/// One AD structure, borrowed: its type and value (Core Specification 5.4, Volume 3, Part C, 11).
@frozen
public struct ADStructure: ~Escapable {
  public let type: UInt8
  /// Where the structure's length octet lies in the payload.
  public let offset: Int
  public let value: RawSpan

  @inlinable
  @_lifetime(copy value)
  init(type: UInt8, offset: Int, value: RawSpan) {
    self.type = type
    self.offset = offset
    self.value = value
  }
}

/// What was lost of a payload, and where.
public struct Malformation: Error, Equatable, Sendable, BitwiseCopyable {
  /// The kinds of loss, in the order of their counters.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// A length octet promises more octets than follow: the rest of the payload is lost.
    case lengthPastEnd
    /// Octets other than zero behind the zero length that ends a payload early: they are lost.
    case dataAfterEnd
    /// A value whose size its type does not allow: only that value is lost, and of a list only its last element.
    case wrongSize
  }

  /// Offset of the structure's length octet; for `dataAfterEnd`, of the first octet that is not zero.
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
  @usableFromInline var cursor: ByteCursor

  @inlinable
  @_lifetime(copy payload)
  public init(_ payload: RawSpan) { cursor = ByteCursor(payload) }

  /// The next structure, or nil at the end. After an error there is no further structure.
  @inlinable
  @_lifetime(copy self)
  public mutating func next() throws(Malformation) -> ADStructure? {
    let offset = cursor.position
    guard let length = cursor.uint8() else { return nil }
    guard length != 0 else {
      try end()
      return nil
    }
    guard let body = cursor.span(Int(length)) else {
      cursor.consume(cursor.remaining)
      throw Malformation(offset: offset, kind: .lengthPastEnd)
    }
    return ADStructure(type: body.uint8(at: 0), offset: offset, value: body.extracting(droppingFirst: 1))
  }

  /// Looks over the padding behind a zero length.
  @inlinable
  mutating func end() throws(Malformation) {
    while let octet = cursor.uint8() {
      guard octet != 0 else { continue }
      let offset = cursor.position &- 1
      cursor.consume(cursor.remaining)
      throw Malformation(offset: offset, kind: .dataAfterEnd)
    }
  }
}
