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
