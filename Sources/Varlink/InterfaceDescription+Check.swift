// SPDX-License-Identifier: Apache-2.0

package import JSON

/// Where a value does not fit its description.
package struct ParameterError: Error, Equatable {
  /// The innermost step first.
  private var steps: [String] = []

  fileprivate init(_ steps: [String] = []) { self.steps = steps }

  /// The misfit as seen from around the value.
  fileprivate func inside(_ step: String) -> ParameterError { ParameterError(steps + [step]) }

  /// `name`, `filter.items[2]`
  package var path: String {
    steps.reversed().reduce(into: "") { path, step in
      path += (path.isEmpty || step.hasPrefix("[") ? "" : ".") + step
    }
  }
}

/// Checks values against types. Every structure, array and map consumes a level of the JSON, whose depth is bounded;
/// only what does not fit costs memory.
extension InterfaceDescription {
  /// Checks an object whose members must be `fields`: none unknown, none missing unless optional, each of its type.
  package func check(_ object: JSONObject, _ fields: [InterfaceField]) throws(ParameterError) {
    for member in object.members {
      let field = fields.first { $0.name.utf8.elementsEqual(member.name.utf8) }
      guard let field else { throw ParameterError([member.name]) }
      try check(member.value, field.type, inside: member.name)
    }
    for field in fields where !field.type.isOptional && object[field.name] == nil {
      throw ParameterError([field.name])
    }
  }

  private func check(
    _ value: JSONValue, _ type: InterfaceType, inside step: @autoclosure () -> String
  ) throws(ParameterError) {
    do throws(ParameterError) {
      try check(value, type)
    } catch {
      throw error.inside(step())
    }
  }

  private func check(_ value: JSONValue, _ type: InterfaceType) throws(ParameterError) {
    switch (type, value) {
    case (.bool, .bool), (.int, .integer), (.float, .double), (.float, .integer): return
    // C code would see a string with NUL end early.
    case (.string, .string(let string)) where !string.utf8.contains(0): return
    case (.enum(let names), .string(let string)) where names.contains { $0.utf8.elementsEqual(string.utf8) }:
      return
    case (.object, .object), (.optional, .null): return
    case (.optional(let wrapped), _): try check(value, wrapped)
    case (.structure(let fields), .object(let object)): try check(object, fields)
    case (.array(let wrapped), .array(let elements)):
      for (index, element) in elements.enumerated() { try check(element, wrapped, inside: "[\(index)]") }
    case (.map(let wrapped), .object(let object)):
      for member in object.members { try check(member.value, wrapped, inside: member.name) }
    case (.named(let name), _):
      guard let type = self.type(named: name) else { throw ParameterError() }
      try check(value, type)
    case (.bool, _), (.int, _), (.float, _), (.string, _), (.enum, _), (.object, _), (.structure, _),
      (.array, _), (.map, _):
      throw ParameterError()
    }
  }
}
