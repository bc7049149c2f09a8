// SPDX-License-Identifier: Apache-2.0

/// Why a member of an object is not what its reader expects.
public struct JSONMemberError: Error, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    case missing
    /// null, or of another JSON type than the reader expects.
    case wrongType
    /// A value of the right type that is not one of the known values, or is out of range.
    case unknownValue
  }

  /// Where the member is: `gate.samples`, `clauses[2].wanted`.
  public let path: String
  public let kind: Kind

  public init(path: String, kind: Kind) { (self.path, self.kind) = (path, kind) }
}

/// Reads the members of an object that another program wrote. Each error names the member with its path.
///
/// Members that are never read are ignored, so that a newer peer may send more. A function without `IfPresent` requires
/// the member; one with it returns nil when the member is absent or null.
public struct JSONObjectReader: Sendable {
  public let object: JSONObject
  /// The path to the object; empty for the outermost one.
  private let path: String

  public init(_ object: JSONObject, at path: String = "") { (self.object, self.path) = (object, path) }

  /// The path of a member.
  public func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  public func error(_ name: String, _ kind: JSONMemberError.Kind) -> JSONMemberError {
    JSONMemberError(path: path(of: name), kind: kind)
  }

  /// The names of the members that are not null, in their order.
  public var names: [String] { object.members.filter { $0.value != .null }.map(\.name) }

  public func valueIfPresent(_ name: String) -> JSONValue? {
    guard let value = object[name], value != .null else { return nil }
    return value
  }

  /// Throws when the member is missing, or is null.
  public func require<Value>(_ name: String, _ value: Value?) throws(JSONMemberError) -> Value {
    guard let value else { throw error(name, object[name] == nil ? .missing : .wrongType) }
    return value
  }

  /// What `read` makes of a member; nil when it is absent or null. Throws for a value that `read` does not know.
  private func readIfPresent<Value>(
    _ name: String, _ read: (JSONValue) -> Value?
  ) throws(JSONMemberError) -> Value? {
    guard let value = valueIfPresent(name) else { return nil }
    guard let read = read(value) else { throw error(name, .wrongType) }
    return read
  }

  // MARK: JSON types

  public func string(_ name: String) throws(JSONMemberError) -> String {
    try require(name, try stringIfPresent(name))
  }

  public func stringIfPresent(_ name: String) throws(JSONMemberError) -> String? {
    try readIfPresent(name) { if case .string(let string) = $0 { string } else { nil } }
  }

  public func bool(_ name: String) throws(JSONMemberError) -> Bool {
    try require(name, try boolIfPresent(name))
  }

  public func boolIfPresent(_ name: String) throws(JSONMemberError) -> Bool? {
    try readIfPresent(name) { if case .bool(let bool) = $0 { bool } else { nil } }
  }

  public func integer<Value: FixedWidthInteger>(_ name: String) throws(JSONMemberError) -> Value {
    try require(name, try integerIfPresent(name))
  }

  public func integerIfPresent<Value: FixedWidthInteger>(_ name: String) throws(JSONMemberError) -> Value? {
    switch valueIfPresent(name) {
    case .integer(let integer):
      guard let value = Value(exactly: integer) else { throw error(name, .unknownValue) }
      return value
    case nil: return nil
    case .null, .bool, .double, .string, .array, .object: throw error(name, .wrongType)
    }
  }

  /// An integer that counts something.
  public func count(_ name: String) throws(JSONMemberError) -> Int {
    let count: Int = try integer(name)
    guard count >= 0 else { throw error(name, .unknownValue) }
    return count
  }

  /// Any number.
  public func doubleIfPresent(_ name: String) throws(JSONMemberError) -> Double? {
    switch valueIfPresent(name) {
    case .integer(let integer): Double(integer)
    case .double(let double): double
    case nil: nil
    case .null, .bool, .string, .array, .object: throw error(name, .wrongType)
    }
  }

  public func object(_ name: String) throws(JSONMemberError) -> JSONObjectReader {
    try require(name, try objectIfPresent(name))
  }

  public func objectIfPresent(_ name: String) throws(JSONMemberError) -> JSONObjectReader? {
    try readIfPresent(name) {
      if case .object(let object) = $0 { JSONObjectReader(object, at: path(of: name)) } else { nil }
    }
  }

  /// What `read` makes of each element of an array, of which it learns the place; nil when the member is absent or null.
  private func elementsIfPresent<Value>(
    _ name: String, _ read: (JSONValue, _ place: String) -> Value?
  ) throws(JSONMemberError) -> [Value]? {
    let array = try readIfPresent(name) { if case .array(let elements) = $0 { elements } else { nil } }
    guard let array else { return nil }
    var values: [Value] = []
    for (index, element) in array.enumerated() {
      let place = "\(name)[\(index)]"
      guard let value = read(element, place) else { throw error(place, .wrongType) }
      values.append(value)
    }
    return values
  }

  public func objectsIfPresent(_ name: String) throws(JSONMemberError) -> [JSONObjectReader]? {
    try elementsIfPresent(name) { element, place in
      if case .object(let object) = element { JSONObjectReader(object, at: path(of: place)) } else { nil }
    }
  }

  public func strings(_ name: String) throws(JSONMemberError) -> [String] {
    try require(name, try stringsIfPresent(name))
  }

  public func stringsIfPresent(_ name: String) throws(JSONMemberError) -> [String]? {
    try elementsIfPresent(name) { element, _ in if case .string(let string) = element { string } else { nil }
    }
  }

  public func integers(_ name: String) throws(JSONMemberError) -> [Int] {
    try require(name, try integersIfPresent(name))
  }

  public func integersIfPresent(_ name: String) throws(JSONMemberError) -> [Int]? {
    try elementsIfPresent(name) { element, _ in
      if case .integer(let integer) = element { Int(integer) } else { nil }
    }
  }

  // MARK: What strings represent

  /// One of the `values`, whose names `word` gives.
  public func valueIfPresent<Value>(
    _ name: String, of values: [Value], _ word: (Value) -> String
  ) throws(JSONMemberError) -> Value? {
    guard let string = try stringIfPresent(name) else { return nil }
    for value in values where word(value) == string { return value }
    throw error(name, .unknownValue)
  }

  /// One of the words of an enumeration.
  public func word<Word: RawRepresentable<String>>(_ name: String) throws(JSONMemberError) -> Word {
    try require(name, try wordIfPresent(name))
  }

  public func wordIfPresent<Word: RawRepresentable<String>>(_ name: String) throws(JSONMemberError) -> Word? {
    guard let string = try stringIfPresent(name) else { return nil }
    guard let word = Word(rawValue: string) else { throw error(name, .unknownValue) }
    return word
  }

  public func words<Word: RawRepresentable<String>>(_ name: String) throws(JSONMemberError) -> [Word] {
    var words: [Word] = []
    for string in try strings(name) {
      guard let word = Word(rawValue: string) else { throw error(name, .unknownValue) }
      words.append(word)
    }
    return words
  }

  /// Bytes written as hexadecimal digits, two for each byte, in either case.
  public func bytes(_ name: String) throws(JSONMemberError) -> [UInt8] {
    try require(name, try bytesIfPresent(name))
  }

  public func bytesIfPresent(_ name: String) throws(JSONMemberError) -> [UInt8]? {
    guard let string = try stringIfPresent(name) else { return nil }
    guard let hex = Hex(digits: string) else { throw error(name, .unknownValue) }
    return hex.bytes
  }

  /// A string that can be printed as it is: nothing in it disturbs a terminal, but it may have several lines.
  public func plainText(_ name: String) throws(JSONMemberError) -> String {
    try require(name, try plainTextIfPresent(name))
  }

  public func plainTextIfPresent(_ name: String) throws(JSONMemberError) -> String? {
    guard let string = try stringIfPresent(name) else { return nil }
    guard string.unicodeScalars.allSatisfy({ $0 == "\n" || !$0.isInvisible }) else {
      throw error(name, .unknownValue)
    }
    return string
  }
}
