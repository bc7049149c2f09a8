// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
  /// Reads a number (RFC 8259, 6) that starts here.
  @_lifetime(self: copy self)
  mutating func number(byteCountMax: Int) throws(JSONError) -> JSONValue {
    let start = index
    skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")) { try skipDigits() }
    let isInteger = try !skipFraction()
    let digits = span(from: start)
    guard digits.count <= byteCountMax else { throw JSONError(.numberOutOfRange, at: start) }
    let text = String(decoding: digits.indices.map { digits[$0] }, as: UTF8.self)
    if isInteger, let integer = Int64(text), integer.magnitude < 1 << 53 { return .integer(integer) }
    guard let fraction = Double(text), fraction.isFinite else {
      throw JSONError(.numberOutOfRange, at: start)
    }
    return .double(fraction)
  }

  /// Skips a fraction and an exponent; returns whether there was either.
  @_lifetime(self: copy self)
  private mutating func skipFraction() throws(JSONError) -> Bool {
    let start = index
    if skip(UInt8(ascii: ".")) { try skipDigits() }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { skip(UInt8(ascii: "-")) }
      try skipDigits()
    }
    return index > start
  }

  /// Skips one digit or more.
  @_lifetime(self: copy self)
  private mutating func skipDigits() throws(JSONError) {
    let start = index
    while let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { index += 1 }
    guard index > start else { throw error(peek() == nil ? .endOfText : .badNumber) }
  }

  @_lifetime(self: copy self)
  @discardableResult
  private mutating func skip(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    index += 1
    return true
  }
}
