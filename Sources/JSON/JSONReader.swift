// SPDX-License-Identifier: Apache-2.0

/// Reads one JSON value (RFC 8259) from an untrusted source, in one pass.
///
/// It is as strict as the standard allows: names are unique, text is UTF-8, surrogates come in pairs, and nothing follows
/// the value. Depth, values and the length of numbers are limited; see ``JSONLimits``.
public struct JSONReader: ~Escapable {
  private let bytes: Span<UInt8>
  private let limits: JSONLimits
  var index = 0
  private var depth = 0
  private var valueCount = 0

  @_lifetime(copy bytes)
  private init(_ bytes: Span<UInt8>, limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// Returns the only value in `bytes`.
  public static func read(
    _ bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()
  ) throws(JSONError) -> JSONValue {
    var reader = JSONReader(bytes, limits: limits)
    let value = try reader.value()
    reader.skipBlanks()
    guard reader.peek() == nil else { throw reader.error(.trailing) }
    return value
  }

  // MARK: Bytes

  func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

  @_lifetime(self: copy self)
  mutating func next() throws(JSONError) -> UInt8 {
    guard let byte = peek() else { throw error(.endOfText) }
    index += 1
    return byte
  }

  func error(_ kind: JSONError.Kind) -> JSONError { JSONError(kind, at: index) }

  /// The error for the byte at this position, or for the end of the text.
  private func unexpectedByte() -> JSONError {
    error(peek().map { .unexpectedByte($0) } ?? .endOfText)
  }

  @_lifetime(copy self)
  func span(from start: Int) -> Span<UInt8> { bytes.extracting(start..<index) }

  @_lifetime(self: copy self)
  private mutating func skipBlanks() {
    while let byte = peek(), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
  }

  /// Skips blanks and reads `byte` if it comes next; returns whether it did.
  @_lifetime(self: copy self)
  private mutating func has(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard peek() == byte else { return false }
    index += 1
    return true
  }

  @_lifetime(self: copy self)
  private mutating func expect(_ byte: UInt8) throws(JSONError) {
    guard has(byte) else { throw unexpectedByte() }
  }

  // MARK: Values

  @_lifetime(self: copy self)
  private mutating func value() throws(JSONError) -> JSONValue {
    skipBlanks()
    valueCount += 1
    guard valueCount <= limits.valueCountMax else { throw error(.tooManyValues) }
    guard let first = peek() else { throw unexpectedByte() }
    switch first {
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return try number(byteCountMax: limits.numberByteCountMax)
    default: throw unexpectedByte()
    }
  }

  @_lifetime(self: copy self)
  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
    for byte in word.description.utf8 {
      guard peek() == byte else { throw unexpectedByte() }
      index += 1
    }
    return value
  }

  @_lifetime(self: copy self)
  private mutating func array() throws(JSONError) -> [JSONValue] {
    try descend()
    var elements: [JSONValue] = []
    if has(UInt8(ascii: "]")) { return ascend(elements) }
    repeat { elements.append(try value()) } while has(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"))
    return ascend(elements)
  }

  @_lifetime(self: copy self)
  private mutating func object() throws(JSONError) -> JSONObject {
    try descend()
    var members = JSONMembers()
    if has(UInt8(ascii: "}")) { return ascend(JSONObject()) }
    repeat {
      skipBlanks()
      let start = error(.duplicateName)
      guard peek() == UInt8(ascii: "\"") else { throw unexpectedByte() }
      let name = try string()
      try expect(UInt8(ascii: ":"))
      guard members.append(name, try value()) else { throw start }
    } while has(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"))
    return ascend(JSONObject(members.members))
  }

  /// Reads the opening bracket of a container.
  @_lifetime(self: copy self)
  private mutating func descend() throws(JSONError) {
    guard depth < limits.depthMax else { throw error(.tooDeep) }
    depth += 1
    index += 1
  }

  /// Leaves a container after its closing bracket.
  @_lifetime(self: copy self)
  private mutating func ascend<Container>(_ container: Container) -> Container {
    depth -= 1
    return container
  }

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

/// Limits on the JSON that is read. The text's length and `valueCountMax` bound the memory and time that it takes.
public struct JSONLimits: Sendable {
  /// How deep containers may be nested, the outermost included.
  public var depthMax: Int
  /// How many values there may be, containers included.
  public var valueCountMax: Int
  /// How many characters one number may have; the longest exact one, -2.2250738585072014e-308, has 24.
  public var numberByteCountMax: Int

  public init(depthMax: Int = 16, valueCountMax: Int = 2048, numberByteCountMax: Int = 32) {
    (self.depthMax, self.valueCountMax) = (depthMax, valueCountMax)
    self.numberByteCountMax = numberByteCountMax
  }
}

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

  public init(_ kind: Kind, at offset: Int) { (self.kind, self.offset) = (kind, offset) }
}
