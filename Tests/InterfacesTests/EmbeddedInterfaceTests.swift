// SPDX-License-Identifier: Apache-2.0

import InterfaceDefinition
import Foundation
import Testing
import Varlink

@testable import Interfaces

/// The interfaces, read from their texts.
enum Descriptions {
  static let gateway = description(GatewayInterface.text)
  static let session = description(SessionInterface.text)
  static let `operator` = description(OperatorInterface.text)

  private static func description(_ text: [UInt8]) -> InterfaceDescription {
    do {
      return try InterfaceParser.parse(text)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

@Suite("The embedded interfaces")
struct EmbeddedInterfaceTests {
  @Test("Each text equals its file in Config, and describes the interface of its name")
  func texts() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    for (name, text) in [
      (GatewayInterface.name, GatewayInterface.text), (SessionInterface.name, SessionInterface.text),
      (OperatorInterface.name, OperatorInterface.text),
    ] {
      #expect(try Array(Data(contentsOf: root.appendingPathComponent("Config/\(name).varlink"))) == text)
    }
    #expect(Descriptions.gateway.name == GatewayInterface.name)
    #expect(Descriptions.session.name == SessionInterface.name)
    #expect(Descriptions.operator.name == OperatorInterface.name)
  }

  /// The full names of the members that `isOne` picks.
  private static func names(
    in description: InterfaceDescription, _ isOne: (String) -> Bool
  ) -> Set<String> {
    Set(description.members.keys.filter(isOne).map { "\(description.name).\($0)" })
  }

  @Test("The error names are those that the files describe")
  func errorNames() {
    func described(_ description: InterfaceDescription) -> Set<String> {
      Self.names(in: description) { description.error($0) != nil }
    }
    #expect(Set(GatewayErrorName.allCases.map(\.rawValue)) == described(Descriptions.gateway))
    #expect(Set(SessionErrorName.allCases.map(\.rawValue)) == described(Descriptions.session))
    #expect(Set(OperatorErrorName.allCases.map(\.rawValue)) == described(Descriptions.operator))
  }

  @Test("The method names are those that the files describe")
  func methodNames() {
    func described(_ description: InterfaceDescription) -> Set<String> {
      Self.names(in: description) { description.method($0) != nil }
    }
    #expect(Set(GatewayMethodName.allCases.map(\.rawValue)) == described(Descriptions.gateway))
    #expect(Set(SessionMethodName.allCases.map(\.rawValue)) == described(Descriptions.session))
    #expect(Set(OperatorMethodName.allCases.map(\.rawValue)) == described(Descriptions.operator))
  }
}
