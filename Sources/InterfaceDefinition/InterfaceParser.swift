// SPDX-License-Identifier: Apache-2.0

public import Varlink

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

  public static func parse(_ bytes: [UInt8]) throws(InterfaceError) -> InterfaceDescription {
    var parser = InterfaceParser(bytes)
    guard String(validating: bytes, as: UTF8.self) != nil else { throw parser.scanner.error(.notUTF8) }
    guard parser.scanner.has(keyword: "interface") else {
      throw parser.scanner.error(.expected("interface"))
    }
    let name = try parser.scanner.interfaceName()
    repeat { try parser.parseMember() } while !parser.isAtEnd()
    try parser.checkNames()
    return InterfaceDescription(name: name, members: parser.members)
  }

  private mutating func isAtEnd() -> Bool {
    scanner.skipBlanks()
    return scanner.isAtEnd
  }

  // MARK: Members

  private mutating func parseMember() throws(InterfaceError) {
    if scanner.has(keyword: "type") {
      try parseType()
    } else if scanner.has(keyword: "method") {
      let name = try newName("the name of a method")
      let input = try fields()
      try scanner.expect("->")
      members[name] = .method(InterfaceDescription.Method(input: input, output: try fields()))
    } else if scanner.has(keyword: "error") {
      let name = try newName("the name of an error")
      members[name] = .error(try fields())
    } else {
      throw scanner.error(.expected("type, method or error"))
    }
  }

  private mutating func parseType() throws(InterfaceError) {
    scanner.skipBlanks()
    let place = scanner.index
    let name = try newName("the name of a type")
    types.append((name, place))
    members[name] = .type(try structureOrEnum())
  }

  private mutating func newName(_ what: String) throws(InterfaceError) -> String {
    scanner.skipBlanks()
    let place = scanner.index
    let name = try scanner.name(what)
    guard members[name] == nil else { throw scanner.error(.duplicateMember(name), at: place) }
    return name
  }

  /// The fields of a method or an error.
  private mutating func fields() throws(InterfaceError) -> [InterfaceField] {
    scanner.skipBlanks()
    let place = scanner.index
    guard case .structure(let fields) = try structureOrEnum() else {
      throw scanner.error(.expected("fields with types"), at: place)
    }
    return fields
  }

  // MARK: Types

  private mutating func type() throws(InterfaceError) -> InterfaceType {
    guard depth < Self.depthMax else { throw scanner.error(.tooDeep) }
    depth += 1
    defer { depth -= 1 }
    if scanner.has("?") { return .optional(try optionalType()) }
    if scanner.has("[string]") { return .map(try type()) }
    if scanner.has("[]") { return .array(try type()) }
    return try elementType()
  }

  private mutating func optionalType() throws(InterfaceError) -> InterfaceType {
    scanner.skipBlanks()
    let place = scanner.index
    let type = try type()
    if type.isOptional { throw scanner.error(.doubleOptional, at: place) }
    return type
  }

  private mutating func elementType() throws(InterfaceError) -> InterfaceType {
    if scanner.has(keyword: "bool") { return .bool }
    if scanner.has(keyword: "int") { return .int }
    if scanner.has(keyword: "float") { return .float }
    if scanner.has(keyword: "string") { return .string }
    if scanner.has(keyword: "object") { return .object }
    if let name = scanner.nameIfNext() {
      uses.append((name, scanner.index - name.utf8.count))
      return .named(name)
    }
    return try structureOrEnum(expecting: "a type")
  }

  private mutating func structureOrEnum(
    expecting what: String = "("
  ) throws(InterfaceError) -> InterfaceType {
    guard scanner.has("(") else { throw scanner.error(.expected(what)) }
    if scanner.has(")") { return .structure([]) }
    let first = try scanner.fieldName()
    return scanner.has(":") ? try structure(first) : try enumeration(first)
  }

  private mutating func structure(_ first: String) throws(InterfaceError) -> InterfaceType {
    var fields = [InterfaceField(name: first, type: try type())]
    while scanner.has(",") {
      let name = try newField(besides: fields.map(\.name))
      try scanner.expect(":")
      fields.append(InterfaceField(name: name, type: try type()))
    }
    try scanner.expect(")")
    return .structure(fields)
  }

  private mutating func enumeration(_ first: String) throws(InterfaceError) -> InterfaceType {
    var names = [first]
    while scanner.has(",") { names.append(try newField(besides: names)) }
    try scanner.expect(")")
    return .enum(names)
  }

  private mutating func newField(besides names: [String]) throws(InterfaceError) -> String {
    scanner.skipBlanks()
    let place = scanner.index
    let name = try scanner.fieldName()
    guard !names.contains(name) else { throw scanner.error(.duplicateField(name), at: place) }
    return name
  }

  // MARK: Names

  private func checkNames() throws(InterfaceError) {
    for use in uses {
      guard case .type? = members[use.name] else {
        throw scanner.error(.unknownType(use.name), at: use.place)
      }
    }
    var finiteTypes = FiniteTypes(members)
    for type in types {
      guard finiteTypes.contains(type.name) else {
        throw scanner.error(.recursiveType(type.name), at: type.place)
      }
    }
  }
}

/// The named types that have a value: those that do not need themselves, directly or through others.
///
/// Arrays, maps and optional types have a value without any of their element type.
struct FiniteTypes {
  private enum Knowledge {
    case visiting, finite
  }

  private let members: [String: InterfaceDescription.Member]
  private var known: [String: Knowledge] = [:]

  init(_ members: [String: InterfaceDescription.Member]) { self.members = members }

  mutating func contains(_ name: String) -> Bool {
    switch known[name] {
    case .finite: return true
    case .visiting: return false
    case nil: break
    }
    guard case .type(let type)? = members[name] else { return false }
    known[name] = .visiting
    guard isFinite(type) else { return false }
    known[name] = .finite
    return true
  }

  private mutating func isFinite(_ type: InterfaceType) -> Bool {
    switch type {
    case .bool, .int, .float, .string, .object, .enum, .array, .map, .optional: return true
    case .named(let name): return contains(name)
    case .structure(let fields):
      for field in fields where !isFinite(field.type) { return false }
      return true
    }
  }
}
