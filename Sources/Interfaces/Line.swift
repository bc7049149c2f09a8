// SPDX-License-Identifier: Apache-2.0

public import JSON

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
  public mutating func object(_ key: String, _ line: some Line) {
    object(key) { line.writeMembers(to: &$0) }
  }

  /// A member whose value is an array with an object for each line.
  public mutating func objects(_ key: String, _ lines: [some Line]) {
    objects(key, lines) { json, line in line.writeMembers(to: &json) }
  }
}

extension JSONObjectReader {
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
