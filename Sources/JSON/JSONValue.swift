// SPDX-License-Identifier: Apache-2.0

/// A JSON value.
public enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent, below 2^53 in magnitude. Every JSON implementation holds it exactly
  /// (RFC 7493, 2.2).
  case integer(Int64)
  /// Any other finite number, rounded to a Double.
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue: JSONEncodable {
  public func write(to json: inout JSONWriter) {
    switch self {
    case .null: json.literal("null")
    case .bool(let bool): bool.write(to: &json)
    case .integer(let integer): integer.write(to: &json)
    case .double(let double): json.literal(double.description)
    case .string(let string): json.string(string)
    case .array(let elements): elements.write(to: &json)
    case .object(let object): object.write(to: &json)
    }
  }
}

/// A JSON object: its members in their order, each name once.
///
/// Names are compared byte by byte, without Unicode's equivalences, so that no other spelling matches a protocol's name.
public struct JSONObject: Equatable, Sendable {
  public struct Member: Equatable, Sendable {
    public let name: String
    public let value: JSONValue

    public init(name: String, value: JSONValue) { (self.name, self.value) = (name, value) }
  }

  public let members: [Member]

  public init(_ members: [Member] = []) { self.members = members }

  /// The value of a member; nil when there is no such member.
  public subscript(_ name: String) -> JSONValue? {
    members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }
}

extension JSONObject: JSONEncodable {
  public func write(to json: inout JSONWriter) {
    json.object { json in
      for member in members { json.member(member.name, member.value) }
    }
  }
}

/// The members of an object that is being read.
struct JSONMembers {
  /// Up to this many names are compared one by one; a set is faster for more.
  private static let countComparedMax = 8

  /// A name that equals another when their bytes do.
  private struct Name: Hashable {
    let text: String

    static func == (one: Name, other: Name) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    func hash(into hasher: inout Hasher) {
      for byte in text.utf8 { hasher.combine(byte) }
    }
  }

  private(set) var members: [JSONObject.Member] = []
  /// Empty until there are more than `countComparedMax`.
  private var names: Set<Name> = []

  /// Adds a member; returns false when there is already one with its name.
  mutating func append(_ name: String, _ value: JSONValue) -> Bool {
    guard isNew(Name(text: name)) else { return false }
    members.append(JSONObject.Member(name: name, value: value))
    return true
  }

  private mutating func isNew(_ name: Name) -> Bool {
    guard members.count >= Self.countComparedMax else {
      return !members.contains { Name(text: $0.name) == name }
    }
    if names.isEmpty { names = Set(members.map { Name(text: $0.name) }) }
    return names.insert(name).inserted
  }
}
