// SPDX-License-Identifier: Apache-2.0

package import JSON

/// An interface as its definition file describes it.
public struct InterfaceDescription: Equatable, Sendable {
  public struct Method: Equatable, Sendable {
    public let input: [InterfaceField]
    public let output: [InterfaceField]

    package init(input: [InterfaceField], output: [InterfaceField] = []) {
      (self.input, self.output) = (input, output)
    }
  }

  /// A member of the interface; types, methods and errors share one set of names.
  public enum Member: Equatable, Sendable {
    case type(InterfaceType)
    case method(Method)
    case error([InterfaceField])
  }

  /// In reverse-domain notation.
  public let name: String
  public let members: [String: Member]

  package init(name: String, members: [String: Member]) { (self.name, self.members) = (name, members) }

  public func method(_ name: String) -> Method? {
    guard case .method(let method)? = members[name] else { return nil }
    return method
  }

  package func type(named name: String) -> InterfaceType? {
    guard case .type(let type)? = members[name] else { return nil }
    return type
  }

  // Checks of values against types. Every structure, array and map consumes a level of the JSON, whose depth is bounded;
  // only what does not fit costs memory.

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

/// A type of the interface definition language (varlink.org, "Interface Definition").
public indirect enum InterfaceType: Equatable, Sendable {
  case bool
  case int
  case float
  case string
  /// Any JSON object; the interface does not describe its members.
  case object
  case structure([InterfaceField])
  /// A string that is one of these names.
  case `enum`([String])
  /// A type of the same interface.
  case named(String)
  case array(InterfaceType)
  /// `[string]`: an object whose members are all of one type.
  case map(InterfaceType)
  /// `?`: null and absence are values too.
  case optional(InterfaceType)

  package var isOptional: Bool {
    if case .optional = self { true } else { false }
  }
}

/// A field of a structure, or one parameter of a method or an error.
public struct InterfaceField: Equatable, Sendable {
  public let name: String
  public let type: InterfaceType

  public init(name: String, type: InterfaceType) { (self.name, self.type) = (name, type) }
}

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

/// The name of an interface: `[A-Za-z]([-]*[A-Za-z0-9])*(\.[A-Za-z0-9]([-]*[A-Za-z0-9])*)+`.
///
/// The specification's grammar has lower-case letters only; `io.accessoryd.Gateway`, like the interfaces of systemd,
/// has others too, and every known implementation takes them.
package enum InterfaceName {
  package static let byteCountMax = 255

  package static func isValid(_ name: String) -> Bool {
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.count >= 2 && name.utf8.count <= byteCountMax
      && labels[0].first?.isLetter == true && labels.allSatisfy(isLabel)
  }

  /// Whether it can name a type, a method or an error: `[A-Z][A-Za-z0-9]*`.
  package static func isMember(_ name: String) -> Bool {
    name.utf8.first?.isUpper == true && name.utf8.count <= byteCountMax
      && name.utf8.allSatisfy(\.isLetterOrDigit)
  }

  private static func isLabel(_ label: Substring.UTF8View) -> Bool {
    label.first?.isLetterOrDigit == true && label.last?.isLetterOrDigit == true
      && label.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
  }
}

extension UInt8 {
  package var isUpper: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }
  package var isLower: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
  package var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
  package var isLetter: Bool { isUpper || isLower }
  package var isLetterOrDigit: Bool { isLetter || isDigit }
}
