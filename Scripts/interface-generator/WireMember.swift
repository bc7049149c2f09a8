// SPDX-License-Identifier: GPL-3.0-or-later

import Varlink

/// A property of a generated value: one member of the interface, or two that belong together.
struct WireMember {
  let name: String
  /// What declares it, and the parameter of an initialiser.
  let declaration: [String]
  let parameter: String
  /// A statement of a writer, and an expression of a reader.
  let writer: String
  let reader: String

  /// `element` is the field's type without `?` and `[]`, and `ownType` the Swift type of a word, a structure, an address or
  /// a type of the interface. `path` begins with the interface.
  init(
    _ field: InterfaceField, _ element: InterfaceType, at path: String, ownType: String, isAirText: Bool,
    comment: [String]
  ) {
    let name = field.name
    self.name = name
    let isArray = field.type == .array(element) || field.type == .optional(.array(element))
    // What the property says when the member is absent; nil when the property is optional, or the member always there.
    let absence = Self.entry(WireNames.absences, path)
    let isOptional = field.type.isOptional && absence == nil
    var (single, function, arguments) = (ownType, "string", "\"\(name)\"")
    var (writing, value) = ("member", "\"\(name)\", \(name)")
    switch element {
    case .bool: (single, function) = ("Bool", "bool")
    case .float where name == "number": (single, function) = ("DecimalNumber", "decimal")
    case .float where name.hasSuffix("RSSI"): (single, function) = ("Decibels", "decibels")
    case .float: (single, function) = ("Seconds", "seconds")
    case .int:
      let kind = Self.entry(WireNames.forms, path) ?? "Int"
      (single, function) = kind == "count" ? ("Int", "count") : (kind, "integer")
    case .string where ownType == "DeviceAddress":
      // What may have no address has none that is anonymous.
      (function, arguments) = (field.type.isOptional ? "knownAddress" : "address", "")
      (writing, value) = ("members", name)
    case .string:
      let isBytes = WireNames.byteEndings.contains(where: name.hasSuffix)
      function = isAirText ? "airText" : Self.entry(WireNames.forms, path) ?? (isBytes ? "bytes" : "string")
      single = ["airText": "AirText", "bytes": "[UInt8]", "key": "Hex"][function] ?? "String"
      switch function {
      case "airText" where WireNames.networkNames.contains(name): value = "\"\(name)\", networkName: \(name)"
      case "bytes":
        value = "\"\(name)\", " + (field.type.isOptional ? "\(name).map(Hex.init)" : "Hex(\(name))")
      case "key": arguments += ", byteCount: \(name == "random" ? 8 : 16)"
      default: break
      }
    case .enum: function = "word"
    default: (function, writing) = ("line", isArray ? "objects" : "object")
    }
    if isArray { function += "s" }
    let write = "json.\(writing)(\(value))"
    let read = "try line.\(function)\(isOptional || absence != nil ? "IfPresent" : "")(\(arguments))"
    let owner = path.split(separator: ".").dropLast().joined(separator: ".")
    let empty = ["Bool": "false", "Int": "0"][single] ?? (isArray ? "[]" : nil)
    let initial = isOptional ? "nil" : absence ?? (WireNames.emptyTypes.contains(owner) ? empty : nil)
    let type = (isArray ? "[\(single)]" : single) + (isOptional ? "?" : "")
    declaration = comment.documentation + ["public var \(name): \(type)"]
    parameter = "\(name): \(type)" + (initial.map { " = \($0)" } ?? "")
    reader = absence.map { "\(read) ?? \($0)" } ?? read
    let condition =
      isOptional && WireNames.compactTypes.contains(owner)
      ? "let \(name)" : absence.map { $0 == "false" ? name : "\(name) != \($0)" }
    writer = condition.map { "if \($0) { \(write) }" } ?? write
  }

  /// The entry of the longest path that a table names: `Gateway.Event.epoch`, `Event.epoch` or `epoch`.
  private static func entry(_ table: [String: String], _ path: String) -> String? {
    let steps = path.split(separator: ".")
    return steps.indices.lazy.compactMap { table[steps[$0...].joined(separator: ".")] }.first
  }
}

extension InterfaceType {
  /// The type without `?` and `[]`.
  var element: InterfaceType {
    switch self {
    case .optional(let type), .array(let type): type.element
    default: self
    }
  }
}
