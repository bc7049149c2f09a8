// SPDX-License-Identifier: Apache-2.0

/// An interface as its definition file describes it.
public struct InterfaceDescription: Equatable, Sendable {
  public struct Method: Equatable, Sendable {
    public let input: [InterfaceField]
    public let output: [InterfaceField]

    package init(input: [InterfaceField], output: [InterfaceField]) {
      self.input = input
      self.output = output
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

  public func method(_ name: String) -> Method? {
    guard case .method(let method)? = members[name] else { return nil }
    return method
  }

  /// The parameters of an error; nil when the interface has no such error.
  public func error(_ name: String) -> [InterfaceField]? {
    guard case .error(let fields)? = members[name] else { return nil }
    return fields
  }

  /// What is needed to check calls: what methods take, and the types that it names.
  var ofCalls: InterfaceDescription {
    var needed: [String: Member] = [:]
    for case (let name, .method(let method)) in members {
      needed[name] = .method(Method(input: method.input, output: []))
      for field in method.input { addTypes(of: field.type, to: &needed) }
    }
    return InterfaceDescription(name: name, members: needed)
  }

  private func addTypes(of type: InterfaceType, to needed: inout [String: Member]) {
    switch type {
    case .bool, .int, .float, .string, .object, .enum: return
    case .array(let wrapped), .map(let wrapped), .optional(let wrapped): addTypes(of: wrapped, to: &needed)
    case .structure(let fields): for field in fields { addTypes(of: field.type, to: &needed) }
    case .named(let name):
      guard needed[name] == nil, let type = self.type(named: name) else { return }
      needed[name] = .type(type)
      addTypes(of: type, to: &needed)
    }
  }

  /// The type with this name.
  func type(named name: String) -> InterfaceType? {
    guard case .type(let type)? = members[name] else { return nil }
    return type
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

  var isOptional: Bool {
    if case .optional = self { true } else { false }
  }
}

/// A field of a structure, or one parameter of a method or an error.
public struct InterfaceField: Equatable, Sendable {
  public let name: String
  public let type: InterfaceType

  public init(name: String, type: InterfaceType) {
    self.name = name
    self.type = type
  }
}
