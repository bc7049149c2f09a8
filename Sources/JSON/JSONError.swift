// SPDX-License-Identifier: Apache-2.0

/// Why a text cannot be read as JSON, and where.
public struct JSONError: Error, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The text ends inside a value, or is empty.
    case endOfText
    /// This byte cannot start a value, a name or punctuation here.
    case unexpectedByte(UInt8)
    /// A string has an unescaped control character.
    case bareControl
    /// An escape sequence is not one of those in RFC 8259, 7.
    case badEscape
    /// Half of a UTF-16 surrogate pair, which is not a character.
    case loneSurrogate
    /// The bytes of a string are not UTF-8 (Unicode 15.0, 3.9, table 3-7).
    case notUTF8
    /// A number does not follow RFC 8259, 6.
    case badNumber
    /// A number is longer than the limit, or larger than a Double can hold.
    case numberOutOfRange
    case tooDeep
    case tooManyValues
    /// An object has a name twice.
    case duplicateName
    /// Something follows the value.
    case trailing
  }

  public let kind: Kind
  /// How many bytes precede the error.
  public let offset: Int

  public init(_ kind: Kind, at offset: Int) {
    self.kind = kind
    self.offset = offset
  }
}
