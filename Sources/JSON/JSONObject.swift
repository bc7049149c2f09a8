// SPDX-License-Identifier: Apache-2.0

/// An object that was read from JSON: its members in the order they came, each name once.
///
/// Names are compared octet by octet; Unicode's equivalences do not count, so that no other spelling passes for a
/// name of a protocol.
public struct JSONObject: Equatable, Sendable {
  public struct Member: Equatable, Sendable {
    public let name: String
    public let value: JSONElement

    public init(name: String, value: JSONElement) {
      self.name = name
      self.value = value
    }
  }

  public let members: [Member]

  public init(_ members: [Member] = []) { self.members = members }

  /// The value of a member; nil when there is none of that name.
  public subscript(_ name: String) -> JSONElement? {
    members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }
}

extension JSONObject: JSONValue {
  public func write(to json: inout JSONWriter) {
    json.object { json in
      for member in members { json.member(member.name, member.value) }
    }
  }
}
