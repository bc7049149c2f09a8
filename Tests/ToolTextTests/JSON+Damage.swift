// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON

@testable import ToolText

extension Line {
  var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.takeBytes()
  }
}

extension JSONObject {
  func without(_ name: String) -> JSONObject {
    JSONObject(members.filter { $0.name != name })
  }

  func with(_ name: String, _ value: JSONValue) -> JSONObject {
    JSONObject(members.map { $0.name == name ? Member(name: name, value: value) : $0 })
  }
}

extension JSONValue {
  /// Values in it, itself included.
  var count: Int {
    switch self {
    case .null, .bool, .integer, .double, .string: 1
    case .array(let elements): elements.reduce(1) { $0 + $1.count }
    case .object(let object): object.members.reduce(1) { $0 + $1.value.count }
    }
  }

  /// The same with another value in one place, counted in the order they are written.
  func replacing(_ place: inout Int, with value: JSONValue) -> JSONValue {
    let isHere = place == 0
    place -= 1
    if isHere { return value }
    switch self {
    case .null, .bool, .integer, .double, .string: return self
    case .array(let elements):
      return .array(elements.map { $0.replacing(&place, with: value) })
    case .object(let object):
      return .object(
        JSONObject(
          object.members.map {
            JSONObject.Member(name: $0.name, value: $0.value.replacing(&place, with: value))
          }))
    }
  }
}
