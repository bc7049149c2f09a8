// SPDX-License-Identifier: Apache-2.0

import InterfaceDefinition
import Testing
import Varlink

@testable import Interfaces

/// The names that clients read in the `.varlink` files.
@Suite("Names on the wire")
struct WireNameTests {
  private static let descriptions = [Descriptions.gateway, Descriptions.session, Descriptions.operator]

  /// The fields of a type, a method or an error, those of inner structures included.
  private static func fields(of type: InterfaceType) -> [InterfaceField] {
    switch type {
    case .structure(let fields): fields + fields.flatMap { self.fields(of: $0.type) }
    case .array(let element), .map(let element), .optional(let element): fields(of: element)
    case .bool, .int, .float, .string, .object, .enum, .named: []
    }
  }

  private static func fields(of description: InterfaceDescription) -> [InterfaceField] {
    description.members.values.flatMap { member -> [InterfaceField] in
      switch member {
      case .type(let type): fields(of: type)
      case .method(let method): fields(of: .structure(method.input)) + fields(of: .structure(method.output))
      case .error(let parameters): fields(of: .structure(parameters))
      }
    }
  }

  private static func unwrapped(_ type: InterfaceType) -> InterfaceType {
    switch type {
    case .array(let element), .map(let element), .optional(let element): unwrapped(element)
    case .bool, .int, .float, .string, .object, .enum, .named, .structure: type
    }
  }

  /// Whether a name is an assertion: it begins with a verb in the third person, as `isScanning` and `holds` do.
  /// Properties of an advertisement have the names that the design gives them.
  private static func isAssertion(_ name: String) -> Bool {
    ["connectable", "inSight", "nameIsComplete"].contains(name)
      || name.prefix { !$0.isUppercase }.hasSuffix("s")
  }

  private static func isLowerCamel(_ name: String) -> Bool {
    name.first?.isLowercase == true && name.allSatisfy { $0.isLetter || $0.isNumber }
  }

  @Test("Booleans are assertions", arguments: descriptions)
  func booleans(description: InterfaceDescription) {
    let names = Self.fields(of: description).filter { Self.unwrapped($0.type) == .bool }.map(\.name)
    #expect(!names.isEmpty && names.filter { !Self.isAssertion($0) } == [])
  }

  @Test("Fields and states are lower-camel names", arguments: descriptions)
  func states(description: InterfaceDescription) {
    let fields = Self.fields(of: description)
    #expect(fields.map(\.name).filter { !Self.isLowerCamel($0) } == [])
    for field in fields {
      guard case .enum(let names) = Self.unwrapped(field.type) else { continue }
      #expect(names.filter { !Self.isLowerCamel($0) } == [], "\(field.name)")
    }
  }

  @Test("A state is an enum, except AccessorySetupKit's raw values, which are integers")
  func rawValues() {
    for description in Self.descriptions {
      for field in Self.fields(of: description) where ["state", "phase", "status"].contains(field.name) {
        let type = Self.unwrapped(field.type)
        if description.name == SessionInterface.name {
          #expect(type == .int, "\(field.name)")
        } else if case .enum = type {
          continue
        } else {
          Issue.record("\(field.name) of \(description.name) is no enum")
        }
      }
    }
    let session = Self.fields(of: Descriptions.session)
    for name in ["code", "eventType", "setupOptions", "renameOptions", "supportedOptions", "bluetoothRange"] {
      #expect(session.contains { $0.name == name && Self.unwrapped($0.type) == .int }, "\(name)")
    }
  }

  @Test("Every structure with a sequence has an epoch")
  func epochs() {
    for description in Self.descriptions {
      for (name, member) in description.members {
        guard case .type(.structure(let fields)) = member, fields.contains(where: { $0.name == "sequence" })
        else { continue }
        #expect(fields.contains { $0.name == "epoch" && $0.type == .string }, "\(name)")
      }
    }
  }

  @Test("A word that is no assertion is found")
  func canary() {
    #expect(!Self.isAssertion("touch") && !Self.isAssertion("onBehalf") && Self.isAssertion("isInSight"))
    #expect(Self.isAssertion("holds") && !Self.isLowerCamel("not_found") && !Self.isLowerCamel("Found"))
  }
}
