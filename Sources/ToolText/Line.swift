// SPDX-License-Identifier: GPL-3.0-or-later

public import JSON

/// What the tool prints as one line of JSON, and the agent sends as one object of a reply.
public protocol Line: Sendable {
  /// The members of the object, in the order of the line's schema.
  func writeMembers(to json: inout JSONWriter)
}

extension Line {
  public func write(to json: inout JSONWriter) { json.line { writeMembers(to: &$0) } }
}
