// SPDX-License-Identifier: Apache-2.0

public import JSON
@_exported public import Values

/// What the tool prints as one line of JSON, and the agent sends as one object of a reply.
public protocol Line: Sendable {
  /// The members of the object, in the order of the line's schema.
  func writeMembers(to json: inout JSONWriter)
}

extension Line {
  public func write(to json: inout JSONWriter) { json.line { writeMembers(to: &$0) } }
}

/// A line that can be read back from its object.
public protocol ReadableLine: Line {
  init(reading: JSONObjectReader) throws(JSONMemberError)
}

extension ReadableLine {
  public init(_ object: JSONObject) throws(JSONMemberError) {
    try self.init(reading: JSONObjectReader(object))
  }
}

extension JSONWriter {
  /// A member whose value is an object with a line's members.
  public mutating func object(_ key: String, _ line: (some Line)?) {
    guard let line else { return member(key, String?.none) }
    object(key) { line.writeMembers(to: &$0) }
  }

  /// A member whose value is an array with an object for each line.
  public mutating func objects(_ key: String, _ lines: [some Line]?) {
    guard let lines else { return member(key, String?.none) }
    objects(key, lines) { json, line in line.writeMembers(to: &json) }
  }
}

extension JSONObjectReader {
  /// 32 hexadecimal digits, in lower case.
  public func identifier(_ name: String) throws(JSONMemberError) -> String {
    try key(name, byteCount: 16).text
  }

  /// A key or an identifier in hexadecimal digits.
  public func key(_ name: String, byteCount: Int) throws(JSONMemberError) -> Hex {
    try require(name, try keyIfPresent(name, byteCount: byteCount))
  }

  public func keyIfPresent(_ name: String, byteCount: Int) throws(JSONMemberError) -> Hex? {
    guard let digits = try stringIfPresent(name) else { return nil }
    guard let key = Hex(digits: digits), key.bytes.count == byteCount else {
      throw error(name, .unknownValue)
    }
    return key
  }

  /// The line whose members stand in an object; nil when the member is absent or null.
  public func lineIfPresent<Value: ReadableLine>(_ name: String) throws(JSONMemberError) -> Value? {
    guard let object = try objectIfPresent(name) else { return nil }
    return try Value(reading: object)
  }

  public func line<Value: ReadableLine>(_ name: String) throws(JSONMemberError) -> Value {
    try Value(reading: try object(name))
  }

  public func linesIfPresent<Value: ReadableLine>(_ name: String) throws(JSONMemberError) -> [Value]? {
    guard let objects = try objectsIfPresent(name) else { return nil }
    var lines: [Value] = []
    for object in objects { lines.append(try Value(reading: object)) }
    return lines
  }

  public func lines<Value: ReadableLine>(_ name: String) throws(JSONMemberError) -> [Value] {
    try require(name, try linesIfPresent(name))
  }
}
