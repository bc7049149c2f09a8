// SPDX-License-Identifier: Apache-2.0

@_exported public import Values

/// Writes JSON (RFC 8259): one object per line or message, keys in the order they are written, no spaces.
///
/// It grows as needed and holds everything since the last ``takeBytes()``. Output that would not be JSON, such as a value
/// without a key, is a mistake of the caller and traps.
public struct JSONWriter: Sendable {
  /// Where the next byte goes.
  private enum Place: Sendable {
    case objectStart, object, memberValue, arrayStart, array
  }

  /// The finished lines and messages, and the one that is being written.
  public private(set) var bytes: [UInt8] = []
  private let keepsNull: Bool
  /// The open containers, the innermost last; empty between objects.
  private var places: [Place] = []

  /// Reserves `byteCount` bytes: as many as are usually written before they are taken. With `keepsNull`, a member without
  /// a value is null; otherwise it is left out.
  public init(reserving byteCount: Int = 0, keepsNull: Bool = false) {
    self.keepsNull = keepsNull
    bytes.reserveCapacity(byteCount)
    // Few objects nest deeper.
    places.reserveCapacity(8)
  }

  /// Returns the finished lines and messages and starts again.
  public mutating func takeBytes() -> [UInt8] {
    precondition(places.isEmpty, "an object is still being written")
    // The returned array keeps its memory; clearing it here would copy it.
    defer { bytes = [] }
    return bytes
  }

  /// One line: an object with the members that `body` writes.
  public mutating func line(_ body: (inout JSONWriter) -> Void) {
    whole(body, end: UInt8(ascii: "\n"))
  }

  /// One message: an object with the members that `body` writes, and NUL, which ends a message of the Varlink protocol
  /// (varlink.org, "Protocol") and cannot stand in JSON.
  public mutating func message(_ body: (inout JSONWriter) -> Void) {
    whole(body, end: 0)
  }

  /// A member of the innermost object.
  public mutating func member(_ key: String, _ value: some JSONEncodable) {
    self.key(key)
    value.write(to: &self)
  }

  /// A member of the innermost object that may have no value.
  @inlinable
  public mutating func member(_ key: String, _ value: (some JSONEncodable)?) {
    if let value { member(key, value) } else { memberWithoutValue(key) }
  }

  @usableFromInline
  mutating func memberWithoutValue(_ key: String) {
    guard keepsNull else { return }
    self.key(key)
    literal("null")
  }

  /// Words of an enumeration.
  public mutating func member<Word: RawRepresentable<String>>(_ key: String, _ words: [Word]) {
    member(key, words.map(\.rawValue))
  }

  /// A member whose value is one of the words of an enumeration.
  public mutating func member<Word: RawRepresentable<String>>(_ key: String, _ word: Word?) {
    member(key, word?.rawValue)
  }

  /// A member that is an object with the members that `body` writes.
  public mutating func object(_ key: String, _ body: (inout JSONWriter) -> Void) {
    self.key(key)
    object(body)
  }

  /// A member that is an array of objects; `body` writes the members of each.
  public mutating func objects<Element>(
    _ key: String, _ elements: [Element], _ body: (inout JSONWriter, Element) -> Void
  ) {
    self.key(key)
    array { json in
      for element in elements { json.object { body(&$0, element) } }
    }
  }

  /// A value that is an object.
  public mutating func object(_ body: (inout JSONWriter) -> Void) {
    beginValue()
    enclose(UInt8(ascii: "{"), .objectStart, UInt8(ascii: "}"), body)
  }

  /// A value that is an array of the values that `body` writes.
  public mutating func array(_ body: (inout JSONWriter) -> Void) {
    beginValue()
    enclose(UInt8(ascii: "["), .arrayStart, UInt8(ascii: "]"), body)
  }

  public mutating func string(_ text: String) {
    beginValue()
    JSONEscaping.append(text, to: &bytes)
  }

  /// A string of lower-case hexadecimal digits, two for each byte.
  mutating func hexadecimal(_ hexBytes: [UInt8]) {
    beginValue()
    bytes.append(UInt8(ascii: "\""))
    for byte in hexBytes {
      bytes.append(Hex.digit(byte >> 4))
      bytes.append(Hex.digit(byte & 0xF))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// A value without quotes and escapes: a number, `true`, `false` or `null`.
  public mutating func literal(_ text: String) {
    beginValue()
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func whole(_ body: (inout JSONWriter) -> Void, end: UInt8) {
    precondition(places.isEmpty, "a line or message cannot stand in another")
    enclose(UInt8(ascii: "{"), .objectStart, UInt8(ascii: "}"), body)
    bytes.append(end)
  }

  private mutating func key(_ key: String) {
    switch places.last {
    case .objectStart: break
    case .object: bytes.append(UInt8(ascii: ","))
    case .memberValue: preconditionFailure("a key cannot be a value")
    case .arrayStart, .array: preconditionFailure("an array has no keys")
    case nil: preconditionFailure("a key needs a line to stand in")
    }
    JSONEscaping.append(key, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    places[places.count - 1] = .memberValue
  }

  private mutating func beginValue() {
    switch places.last {
    case .memberValue: places[places.count - 1] = .object
    case .arrayStart: places[places.count - 1] = .array
    case .array: bytes.append(UInt8(ascii: ","))
    case .objectStart, .object: preconditionFailure("a value in an object needs a key")
    case nil: preconditionFailure("a value needs a line to stand in")
    }
  }

  private mutating func enclose(
    _ opening: UInt8, _ place: Place, _ closing: UInt8, _ body: (inout JSONWriter) -> Void
  ) {
    bytes.append(opening)
    places.append(place)
    let depth = places.count
    body(&self)
    precondition(places.count == depth, "containers close in the order they open")
    if case .memberValue = places.removeLast() { preconditionFailure("a key needs a value") }
    bytes.append(closing)
  }
}

/// A value that can be written as JSON.
public protocol JSONEncodable {
  func write(to json: inout JSONWriter)
}

extension Bool: JSONEncodable {
  public func write(to json: inout JSONWriter) { json.literal(self ? "true" : "false") }
}

extension String: JSONEncodable {
  public func write(to json: inout JSONWriter) { json.string(self) }
}

extension JSONEncodable where Self: FixedWidthInteger {
  public func write(to json: inout JSONWriter) { json.literal(String(self)) }
}

extension Int: JSONEncodable {}
extension Int8: JSONEncodable {}
extension Int16: JSONEncodable {}
extension Int32: JSONEncodable {}
extension Int64: JSONEncodable {}
extension UInt8: JSONEncodable {}
extension UInt16: JSONEncodable {}
extension UInt32: JSONEncodable {}
extension UInt64: JSONEncodable {}

extension Array: JSONEncodable where Element: JSONEncodable {
  public func write(to json: inout JSONWriter) {
    json.array { json in
      for element in self { element.write(to: &json) }
    }
  }
}

extension Hex: JSONEncodable {
  public func write(to json: inout JSONWriter) { json.hexadecimal(bytes) }
}

/// Writes text as a JSON string (RFC 8259, 7).
///
/// It escapes quotes, backslashes and controls, as the standard requires. It also escapes DEL, the C1 controls, the
/// line and paragraph separators, and everything that is invisible or changes the direction of writing, so that a line
/// is safe on a terminal. It does not escape a solidus.
enum JSONEscaping {
  static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    if isPlain(text) {
      bytes.append(contentsOf: text.utf8)
    } else {
      for scalar in text.unicodeScalars { append(scalar, to: &bytes) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a text stands for itself: printable ASCII without quotes and backslashes, as most are.
  private static func isPlain(_ text: String) -> Bool {
    let utf8 = text.utf8.span
    for index in utf8.indices {
      switch utf8[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): return false
      case 0x20...0x7E: continue
      default: return false
      }
    }
    return true
  }

  private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch scalar {
    case "\"": bytes.append(contentsOf: "\\\"".utf8)
    case "\\": bytes.append(contentsOf: "\\\\".utf8)
    case "\n": bytes.append(contentsOf: "\\n".utf8)
    case "\r": bytes.append(contentsOf: "\\r".utf8)
    case "\t": bytes.append(contentsOf: "\\t".utf8)
    case "\u{8}": bytes.append(contentsOf: "\\b".utf8)
    case "\u{C}": bytes.append(contentsOf: "\\f".utf8)
    // The most frequent case, before the lookup in Unicode tables.
    case " "..."~": bytes.append(UInt8(ascii: scalar))
    default:
      guard scalar.isInvisible else {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        return
      }
      for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
        bytes.append(contentsOf: "\\u".utf8)
        bytes.append(contentsOf: Hex.digits(UInt64(unit), count: 4).utf8)
      }
    }
  }
}
