// SPDX-License-Identifier: Apache-2.0

/// Reads one JSON value (RFC 8259) that a stranger wrote, in one pass.
///
/// It is as strict as the standard lets it be: names are unique, text is UTF-8, surrogates come in pairs, nothing
/// follows the value. Depth, values and the length of numbers are limited; see ``JSONLimits``.
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

  /// The only value in `bytes`.
  public static func read(
    _ bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()
  ) throws(JSONProblem) -> JSONElement {
    var reader = JSONReader(bytes, limits: limits)
    let element = try reader.element()
    reader.skipBlanks()
    guard reader.peek() == nil else { throw reader.problem(.trailing) }
    return element
  }

  // MARK: Octets

  func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

  @_lifetime(self: copy self)
  mutating func next() throws(JSONProblem) -> UInt8 {
    guard let byte = peek() else { throw problem(.endOfText) }
    index += 1
    return byte
  }

  func problem(_ kind: JSONProblem.Kind) -> JSONProblem { JSONProblem(kind, at: index) }

  /// What is wrong with the octet that stands here, or that none does.
  private func unexpected() -> JSONProblem {
    problem(peek().map { .unexpectedByte($0) } ?? .endOfText)
  }

  @_lifetime(copy self)
  func span(from start: Int) -> Span<UInt8> { bytes.extracting(start..<index) }

  @_lifetime(self: copy self)
  private mutating func skipBlanks() {
    while let byte = peek(), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
  }

  /// Whether `byte` stood here, behind blanks; it is read then.
  @_lifetime(self: copy self)
  private mutating func has(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard peek() == byte else { return false }
    index += 1
    return true
  }

  @_lifetime(self: copy self)
  private mutating func expect(_ byte: UInt8) throws(JSONProblem) {
    guard has(byte) else { throw unexpected() }
  }

  // MARK: Values

  @_lifetime(self: copy self)
  private mutating func element() throws(JSONProblem) -> JSONElement {
    skipBlanks()
    valueCount += 1
    guard valueCount <= limits.valueCountMax else { throw problem(.tooManyValues) }
    guard let first = peek() else { throw unexpected() }
    switch first {
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "t"): return try word("true", .truth(true))
    case UInt8(ascii: "f"): return try word("false", .truth(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return try number(byteCountMax: limits.numberByteCountMax)
    default: throw unexpected()
    }
  }

  @_lifetime(self: copy self)
  private mutating func word(_ word: StaticString, _ element: JSONElement) throws(JSONProblem) -> JSONElement
  {
    for byte in word.description.utf8 {
      guard peek() == byte else { throw unexpected() }
      index += 1
    }
    return element
  }

  @_lifetime(self: copy self)
  private mutating func array() throws(JSONProblem) -> [JSONElement] {
    try descend()
    var elements: [JSONElement] = []
    if has(UInt8(ascii: "]")) { return ascend(elements) }
    repeat { elements.append(try element()) } while has(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"))
    return ascend(elements)
  }

  @_lifetime(self: copy self)
  private mutating func object() throws(JSONProblem) -> JSONObject {
    try descend()
    var members = JSONMembers()
    if has(UInt8(ascii: "}")) { return ascend(JSONObject()) }
    repeat {
      skipBlanks()
      let start = problem(.duplicateName)
      guard peek() == UInt8(ascii: "\"") else { throw unexpected() }
      let name = try text()
      try expect(UInt8(ascii: ":"))
      guard members.append(name, try element()) else { throw start }
    } while has(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"))
    return ascend(JSONObject(members.members))
  }

  /// Reads the bracket that opens a container.
  @_lifetime(self: copy self)
  private mutating func descend() throws(JSONProblem) {
    guard depth < limits.depthMax else { throw problem(.tooDeep) }
    depth += 1
    index += 1
  }

  /// Leaves a container that was read whole.
  @_lifetime(self: copy self)
  private mutating func ascend<Container>(_ container: Container) -> Container {
    depth -= 1
    return container
  }
}
