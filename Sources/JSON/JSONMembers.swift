// SPDX-License-Identifier: Apache-2.0

/// The members of an object while it is read.
struct JSONMembers {
  /// As many names are compared one by one; beyond, a set is quicker.
  private static let countComparedMax = 8

  /// A name that equals another when their octets do.
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

  /// Whether there was no member of that name; it is added then.
  mutating func append(_ name: String, _ value: JSONElement) -> Bool {
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
