// SPDX-License-Identifier: Apache-2.0

/// Why a text is not JSON that we read, and where.
public struct JSONError: Error, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The text ends inside a value, or holds none.
    case endOfText
    /// No value, name or punctuation can start with this octet here.
    case unexpectedByte(UInt8)
    /// A control character stands in a text without an escape.
    case bareControl
    /// An escape is none of those that RFC 8259, 7 has.
    case badEscape
    /// Half of a UTF-16 surrogate pair, which is no character.
    case loneSurrogate
    /// Octets of a text are not UTF-8 (Unicode 15.0, 3.9, table 3-7).
    case notUTF8
    /// A number is none by RFC 8259, 6.
    case badNumber
    /// A number is longer than we read, or larger than a Double holds.
    case numberOutOfRange
    case tooDeep
    case tooManyValues
    /// An object has the same name twice.
    case duplicateName
    /// Something follows the value.
    case trailing
  }

  public let kind: Kind
  /// Octets before the place.
  public let offset: Int

  public init(_ kind: Kind, at offset: Int) {
    self.kind = kind
    self.offset = offset
  }
}
