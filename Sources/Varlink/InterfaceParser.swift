// SPDX-License-Identifier: Apache-2.0

/// Reads an interface definition (varlink.org, "Interface Definition", "Grammar").
///
/// Beyond the grammar, every name is described once, every named type exists, and no type needs itself to be whole.
public struct InterfaceParser {
  /// Types within one another.
  public static let depthMax = 16

  private var scanner: InterfaceScanner
  private var members: [String: InterfaceDescription.Member] = [:]
  /// Where names of types were used, in order.
  private var uses: [(name: String, place: Int)] = []
  /// Where types are described, in order.
  private var types: [(name: String, place: Int)] = []
  private var depth = 0

  private init(_ bytes: [UInt8]) { scanner = InterfaceScanner(bytes) }

  public static func parse(_ bytes: [UInt8]) throws(InterfaceProblem) -> InterfaceDescription {
    var parser = InterfaceParser(bytes)
    guard let text = String(validating: bytes, as: UTF8.self) else { throw parser.scanner.problem(.notUTF8) }
    guard parser.scanner.has(keyword: "interface") else {
      throw parser.scanner.problem(.expected("interface"))
    }
    let name = try parser.scanner.interfaceName()
    repeat { try parser.member() } while !parser.isAtEnd()
    try parser.checkNames()
    return InterfaceDescription(name: name, text: text, members: parser.members)
  }

  private mutating func isAtEnd() -> Bool {
    scanner.skipBlanks()
    return scanner.isAtEnd
  }

  // MARK: Members

  private mutating func member() throws(InterfaceProblem) {
    if scanner.has(keyword: "type") {
      try typeMember()
    } else if scanner.has(keyword: "method") {
      let name = try newName("the name of a method")
      let input = try fields()
      try scanner.expect("->")
      members[name] = .method(InterfaceDescription.Method(input: input, output: try fields()))
    } else if scanner.has(keyword: "error") {
      let name = try newName("the name of an error")
      members[name] = .error(try fields())
    } else {
      throw scanner.problem(.expected("type, method or error"))
    }
  }

  private mutating func typeMember() throws(InterfaceProblem) {
    scanner.skipBlanks()
    let place = scanner.index
    let name = try newName("the name of a type")
    types.append((name, place))
    members[name] = .type(try structureOrChoice())
  }

  private mutating func newName(_ what: String) throws(InterfaceProblem) -> String {
    scanner.skipBlanks()
    let place = scanner.index
    let name = try scanner.name(what)
    guard members[name] == nil else { throw scanner.problem(.duplicateMember(name), at: place) }
    return name
  }

  /// The fields of a method or an error.
  private mutating func fields() throws(InterfaceProblem) -> [InterfaceField] {
    scanner.skipBlanks()
    let place = scanner.index
    guard case .structure(let fields) = try structureOrChoice() else {
      throw scanner.problem(.expected("fields with types"), at: place)
    }
    return fields
  }

  // MARK: Types

  private mutating func type() throws(InterfaceProblem) -> InterfaceType {
    guard depth < Self.depthMax else { throw scanner.problem(.tooDeep) }
    depth += 1
    defer { depth -= 1 }
    if scanner.has("?") { return .optional(try optionalType()) }
    if scanner.has("[string]") { return .map(try type()) }
    if scanner.has("[]") { return .array(try type()) }
    return try elementType()
  }

  private mutating func optionalType() throws(InterfaceProblem) -> InterfaceType {
    scanner.skipBlanks()
    let place = scanner.index
    let type = try type()
    if type.isOptional { throw scanner.problem(.doubleOptional, at: place) }
    return type
  }

  private mutating func elementType() throws(InterfaceProblem) -> InterfaceType {
    if scanner.has(keyword: "bool") { return .truth }
    if scanner.has(keyword: "int") { return .integer }
    if scanner.has(keyword: "float") { return .fraction }
    if scanner.has(keyword: "string") { return .text }
    if scanner.has(keyword: "object") { return .foreign }
    scanner.skipBlanks()
    if let name = try? scanner.name("") {
      uses.append((name, scanner.index - name.utf8.count))
      return .named(name)
    }
    return try structureOrChoice(expecting: "a type")
  }

  private mutating func structureOrChoice(
    expecting what: String = "("
  ) throws(InterfaceProblem) -> InterfaceType {
    guard scanner.has("(") else { throw scanner.problem(.expected(what)) }
    if scanner.has(")") { return .structure([]) }
    let first = try scanner.fieldName()
    return scanner.has(":") ? try structure(first) : try choice(first)
  }

  private mutating func structure(_ first: String) throws(InterfaceProblem) -> InterfaceType {
    var fields = [InterfaceField(name: first, type: try type())]
    while scanner.has(",") {
      let name = try newField(besides: fields.map(\.name))
      try scanner.expect(":")
      fields.append(InterfaceField(name: name, type: try type()))
    }
    try scanner.expect(")")
    return .structure(fields)
  }

  private mutating func choice(_ first: String) throws(InterfaceProblem) -> InterfaceType {
    var names = [first]
    while scanner.has(",") { names.append(try newField(besides: names)) }
    try scanner.expect(")")
    return .choice(names)
  }

  private mutating func newField(besides names: [String]) throws(InterfaceProblem) -> String {
    scanner.skipBlanks()
    let place = scanner.index
    let name = try scanner.fieldName()
    guard !names.contains(name) else { throw scanner.problem(.duplicateField(name), at: place) }
    return name
  }

  // MARK: Names

  private func checkNames() throws(InterfaceProblem) {
    for use in uses {
      guard case .type? = members[use.name] else {
        throw scanner.problem(.unknownType(use.name), at: use.place)
      }
    }
    var wholes = WholeTypes(members)
    for type in types {
      guard wholes.contains(type.name) else { throw scanner.problem(.endlessType(type.name), at: type.place) }
    }
  }
}
