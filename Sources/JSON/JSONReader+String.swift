// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
  /// Reads a string (RFC 8259, 7) whose opening quote is here.
  @_lifetime(self: copy self)
  mutating func string() throws(JSONError) -> String {
    index += 1
    let start = index
    try skipPlain()
    guard peek() == UInt8(ascii: "\\") else {
      let text = try string(span(from: start), at: start)
      index += 1
      return text
    }
    return try escapedText(from: start)
  }

  /// Reads the rest of a string that starts at `start` and has its first escape here.
  ///
  /// The bytes are validated together at the end; an escape never completes a character that bytes before it began.
  @_lifetime(self: copy self)
  private mutating func escapedText(from start: Int) throws(JSONError) -> String {
    var decoded: [UInt8] = []
    append(span(from: start), to: &decoded)
    while try next() == UInt8(ascii: "\\") {
      try escape(into: &decoded)
      let plain = index
      try skipPlain()
      append(span(from: plain), to: &decoded)
    }
    return try string(decoded.span, at: start)
  }

  /// Skips to a quote or a backslash.
  @_lifetime(self: copy self)
  private mutating func skipPlain() throws(JSONError) {
    while let byte = peek(), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      guard byte >= 0x20 else { throw error(.bareControl) }
      index += 1
    }
    guard peek() != nil else { throw error(.endOfText) }
  }

  private func append(_ span: Span<UInt8>, to decoded: inout [UInt8]) {
    for index in span.indices { decoded.append(span[index]) }
  }

  private func string(_ bytes: Span<UInt8>, at start: Int) throws(JSONError) -> String {
    do {
      return String(copying: try UTF8Span(validating: bytes))
    } catch {
      throw JSONError(.notUTF8, at: start)
    }
  }

  /// Reads the escape after a backslash.
  @_lifetime(self: copy self)
  private mutating func escape(into decoded: inout [UInt8]) throws(JSONError) {
    let place = index - 1
    switch try next() {
    case UInt8(ascii: "\""): decoded.append(UInt8(ascii: "\""))
    case UInt8(ascii: "\\"): decoded.append(UInt8(ascii: "\\"))
    case UInt8(ascii: "/"): decoded.append(UInt8(ascii: "/"))
    case UInt8(ascii: "b"): decoded.append(0x08)
    case UInt8(ascii: "f"): decoded.append(0x0C)
    case UInt8(ascii: "n"): decoded.append(0x0A)
    case UInt8(ascii: "r"): decoded.append(0x0D)
    case UInt8(ascii: "t"): decoded.append(0x09)
    case UInt8(ascii: "u"): UTF8.encode(try scalar(at: place)).map { decoded.append(contentsOf: $0) }
    default: throw JSONError(.badEscape, at: place)
    }
  }

  /// Reads the character of one `\u` escape, or of two for a surrogate pair; the first `\u` is already read.
  @_lifetime(self: copy self)
  private mutating func scalar(at place: Int) throws(JSONError) -> Unicode.Scalar {
    let unit = try codeUnit(at: place)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard UTF16.isLeadSurrogate(unit), peek() == UInt8(ascii: "\\") else {
      throw JSONError(.loneSurrogate, at: place)
    }
    index += 1
    guard try next() == UInt8(ascii: "u") else { throw JSONError(.loneSurrogate, at: place) }
    let second = try codeUnit(at: index - 2)
    guard UTF16.isTrailSurrogate(second) else { throw JSONError(.loneSurrogate, at: place) }
    let value = 0x1_0000 + UInt32(unit & 0x3FF) << 10 + UInt32(second & 0x3FF)
    // Every pair encodes a character from U+10000 to U+10FFFF.
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  @_lifetime(self: copy self)
  private mutating func codeUnit(at place: Int) throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = Hex.value(ofDigit: try next()) else { throw JSONError(.badEscape, at: place) }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
