// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Varlink

@testable import Interfaces

@Suite("The embedded interfaces")
struct EmbeddedInterfaceTests {
  private static var interfaces: [any ServedInterface.Type] {
    [GatewayInterface.self, SessionInterface.self, OperatorInterface.self]
  }

  @Test("Each text equals its file in Config", arguments: 0..<3)
  func text(index: Int) throws {
    let interface = Self.interfaces[index]
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appendingPathComponent("Config/\(interface.name).varlink")
    #expect(try Array(Data(contentsOf: file)) == interface.text)
    #expect(interface.description().name == interface.name)
  }

  @Test("The error names are those that the files describe")
  func errorNames() {
    func described(_ interface: any ServedInterface.Type) -> Set<String> {
      let description = interface.description()
      let names = description.members.keys.filter { description.error($0) != nil }
      return Set(names.map { "\(interface.name).\($0)" })
    }
    #expect(Set(GatewayErrorName.allCases.map(\.rawValue)) == described(GatewayInterface.self))
    #expect(Set(SessionErrorName.allCases.map(\.rawValue)) == described(SessionInterface.self))
    #expect(Set(OperatorErrorName.allCases.map(\.rawValue)) == described(OperatorInterface.self))
  }

  @Test("The method names are those that the files describe")
  func methodNames() {
    func described(_ interface: any ServedInterface.Type) -> Set<String> {
      let description = interface.description()
      let names = description.members.keys.filter { description.method($0) != nil }
      return Set(names.map { "\(interface.name).\($0)" })
    }
    #expect(Set(GatewayMethodName.allCases.map(\.rawValue)) == described(GatewayInterface.self))
    #expect(Set(SessionMethodName.allCases.map(\.rawValue)) == described(SessionInterface.self))
    #expect(Set(OperatorMethodName.allCases.map(\.rawValue)) == described(OperatorInterface.self))
  }
}
