// SPDX-License-Identifier: Apache-2.0

public import Varlink

extension InterfaceDescription {
  /// The parameters of an error; nil when the interface has no such error.
  public func error(_ name: String) -> [InterfaceField]? {
    guard case .error(let fields)? = members[name] else { return nil }
    return fields
  }

  /// What is needed to check calls: what methods take, and the types that it names.
  public var ofCalls: InterfaceDescription {
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
}

extension ServedInterface {
  /// The whole description. A text that cannot be parsed is a programming mistake and traps.
  public static func description() -> InterfaceDescription {
    do {
      return try InterfaceParser.parse(text)
    } catch {
      preconditionFailure("\(name):\(error)")
    }
  }

  /// The part of the description that calls are checked against.
  public static func callDescription() -> InterfaceDescription { description().ofCalls }
}
