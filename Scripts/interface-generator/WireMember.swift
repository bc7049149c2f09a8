// SPDX-License-Identifier: GPL-3.0-or-later

/// A property of a generated value: one member of the interface, or two that belong together.
struct WireMember {
  let name: String
  let comment: [String]
  /// What the property says when the member is absent; nil when the property is optional, or the member always there.
  private let absence: String?
  private let isOptional: Bool
  /// The default of the parameter in an initialiser; nil for none.
  private let initial: String?
  /// Its type, in a declaration.
  let type: String
  /// A statement of a writer, and an expression of a reader.
  let writer: String
  let reader: String

  /// `path` begins with the interface. `ownType` is the Swift type of a word, a structure, an address or a type of the
  /// interface.
  init(_ member: Member, at path: String, ownType: String, isAirText: Bool) {
    let name = member.name
    (self.name, comment) = (name, member.comment)
    absence = Self.entry(WireNames.absences, path)
    isOptional = member.isOptional && absence == nil
    var (single, function, arguments) = (ownType, "string", "\"\(name)\"")
    var (writing, value) = ("member", "\"\(name)\", \(name)")
    switch member.base {
    case .named("bool"): (single, function) = ("Bool", "bool")
    case .named("float"):
      (single, function) =
        switch name {
        case "number": ("DecimalNumber", "decimal")
        case _ where name.hasSuffix("RSSI"): ("Decibels", "decibels")
        default: ("Seconds", "seconds")
        }
    case .named("int"):
      let kind = Self.entry(WireNames.integers, path) ?? "Int"
      (single, function) = kind == "count" ? ("Int", "count") : (kind, "integer")
    case .named("string") where ownType == "DeviceAddress":
      // What may have no address has none that is anonymous.
      (function, arguments) = (member.isOptional ? "knownAddress" : "address", "")
      (writing, value) = ("members", name)
    case .named("string"):
      let isBytes = WireNames.byteEndings.contains(where: name.hasSuffix)
      function = isAirText ? "airText" : Self.entry(WireNames.strings, path) ?? (isBytes ? "bytes" : "string")
      single = ["airText": "AirText", "bytes": "[UInt8]", "key": "Hex"][function] ?? "String"
      switch function {
      case "airText" where WireNames.networkNames.contains(name): value = "\"\(name)\", networkName: \(name)"
      case "bytes": value = "\"\(name)\", " + (member.isOptional ? "\(name).map(Hex.init)" : "Hex(\(name))")
      case "key": arguments += ", byteCount: \(name == "random" ? 8 : 16)"
      default: break
      }
    case .word: function = "word"
    case .named, .structure: (function, writing) = ("line", "object")
    }
    if member.isArray {
      function += "s"
      if writing == "object" { writing = "objects" }
    }
    let write = "json.\(writing)(\(value))"
    let read = "try line.\(function)\(isOptional || absence != nil ? "IfPresent" : "")(\(arguments))"
    let steps = path.split(separator: ".")
    let isEmpty = WireNames.emptyTypes.contains(steps.dropLast().joined(separator: "."))
    let empty = ["Bool": "false", "Int": "0"][single] ?? (member.isArray ? "[]" : nil)
    initial = isOptional ? "nil" : absence ?? (isEmpty ? empty : nil)
    type = (member.isArray ? "[\(single)]" : single) + (isOptional ? "?" : "")
    reader = absence.map { "\(read) ?? \($0)" } ?? read
    let isCompact = isOptional && WireNames.compactTypes.contains(steps.dropLast().joined(separator: "."))
    writer =
      isCompact
      ? "if let \(name) { \(write) }"
      : absence.map { "if \($0 == "false" ? name : "\(name) != \($0)") { \(write) }" } ?? write
  }

  /// In an initialiser.
  var parameter: String { "\(name): \(type)" + (initial.map { " = \($0)" } ?? "") }

  /// The entry of the longest path that a table names: `Gateway.Event.epoch`, `Event.epoch` or `epoch`.
  private static func entry(_ table: [String: String], _ path: String) -> String? {
    let steps = path.split(separator: ".")
    return steps.indices.lazy.compactMap { table[steps[$0...].joined(separator: ".")] }.first
  }
}
