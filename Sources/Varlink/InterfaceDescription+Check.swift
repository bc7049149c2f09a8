// SPDX-License-Identifier: Apache-2.0

package import JSON

/// Where a value does not fit its description.
package struct Misfit: Error, Equatable {
  /// The innermost step first.
  private var steps: [String] = []

  fileprivate init(_ steps: [String] = []) { self.steps = steps }

  /// The misfit as seen from around the value.
  fileprivate func inside(_ step: String) -> Misfit { Misfit(steps + [step]) }

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
  package func check(_ object: JSONObject, _ fields: [InterfaceField]) throws(Misfit) {
    for member in object.members {
      let field = fields.first { $0.name.utf8.elementsEqual(member.name.utf8) }
      guard let field else { throw Misfit([member.name]) }
      try check(member.value, field.type, inside: member.name)
    }
    for field in fields where !field.type.isOptional && object[field.name] == nil {
      throw Misfit([field.name])
    }
  }

  private func check(
    _ element: JSONElement, _ type: InterfaceType, inside step: @autoclosure () -> String
  ) throws(Misfit) {
    do throws(Misfit) {
      try check(element, type)
    } catch {
      throw error.inside(step())
    }
  }

  private func check(_ element: JSONElement, _ type: InterfaceType) throws(Misfit) {
    switch (type, element) {
    case (.truth, .truth), (.integer, .integer), (.fraction, .fraction), (.fraction, .integer): return
    // A text with NUL would end early wherever it meets C.
    case (.text, .text(let text)) where !text.utf8.contains(0): return
    case (.choice(let names), .text(let text)) where names.contains { $0.utf8.elementsEqual(text.utf8) }:
      return
    case (.foreign, .object), (.optional, .null): return
    case (.optional(let wrapped), _): try check(element, wrapped)
    case (.structure(let fields), .object(let object)): try check(object, fields)
    case (.array(let wrapped), .array(let elements)):
      for (index, element) in elements.enumerated() { try check(element, wrapped, inside: "[\(index)]") }
    case (.map(let wrapped), .object(let object)):
      for member in object.members { try check(member.value, wrapped, inside: member.name) }
    case (.named(let name), _):
      guard let type = self.type(named: name) else { throw Misfit() }
      try check(element, type)
    case (.truth, _), (.integer, _), (.fraction, _), (.text, _), (.choice, _), (.foreign, _), (.structure, _),
      (.array, _), (.map, _):
      throw Misfit()
    }
  }
}
