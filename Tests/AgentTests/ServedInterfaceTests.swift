// SPDX-License-Identifier: GPL-3.0-or-later

import InterfaceDefinition
import VarlinkClient
import Interfaces
import JSON
import Testing
import TestSupport
import Varlink

@testable import Agent

@Suite("Served interfaces")
struct ServedInterfaceTests {
  private static var interfaces: [any ServedInterface.Type] {
    [GatewayInterface.self, SessionInterface.self, OperatorInterface.self]
  }

  @Test("Each interface is built in, valid, and named like its file", arguments: 0..<3)
  func isSound(index: Int) {
    let interface = Self.interfaces[index]
    #expect(interface.description().name == interface.name)
    #expect(interface.calls == interface.callDescription())
  }

  @Test("The agent's service keeps its word")
  func service() throws {
    try Service<AgentMethod>.agent(version: "1").check()
  }

  @Test("Exactly the described methods are known, by their full names")
  func methods() {
    let described = Self.interfaces.flatMap { interface in
      let description = interface.description()
      return description.members.keys.filter { description.method($0) != nil }.map {
        "\(interface.name).\($0)"
      }
    }
    #expect(Set(AgentMethod.allCases.map(\.rawValue)) == Set(described))
    #expect(AgentMethod.allCases.count == described.count)
    for method in AgentMethod.allCases { #expect(AgentMethod(rawValue: method.rawValue) == method) }
    #expect(AgentMethod(rawValue: "io.accessoryd.Session.Explain") == nil)
  }

  @Test("Each description is returned in one reply, identical to its file", arguments: 0..<3)
  func isServed(index: Int) throws {
    let interface = Self.interfaces[index]
    let harness = AgentHarness(.lights)
    let client = try #require(harness.connect(user: 1000))
    let message = Message.call("org.varlink.service.GetInterfaceDescription") {
      $0.member("interface", interface.name)
    }
    harness.send(message, by: client)
    #expect(
      client.replies.map { $0.text("description") } == [String(decoding: interface.text, as: UTF8.self)])
  }

  @Test("A call of the operators' interface by its former name names the new one")
  func formerName() throws {
    let harness = AgentHarness(.lights)
    let client = try #require(harness.connect(user: 0))
    harness.send(Message.call("\(OperatorInterface.formerName).List", more: true), by: client)
    let reply = try #require(client.replies.last)
    #expect(reply.text("interface") == OperatorInterface.formerName)
    #expect(reply.text("cure")?.contains("io.accessoryd.Operator") == true)
  }
}

@Suite("The texts of the interfaces")
struct InterfaceTextTests {
  @Test(
    "Every field has its own comment",
    arguments: [GatewayInterface.text, SessionInterface.text, OperatorInterface.text])
  func fields(text: [UInt8]) {
    #expect(InterfaceText(String(decoding: text, as: UTF8.self)).bareFields == [])
  }

  @Test("The comments of streaming methods say that they need more, and no others do")
  func more() {
    let text = InterfaceText(String(decoding: SessionInterface.text, as: UTF8.self))
    for method in AgentMethod.allCases where method.rawValue.hasPrefix("\(SessionInterface.name).") {
      let name = String(method.rawValue.drop(through: "."))
      let isStated = text.comments[name]?.contains(#"Must be called with "more"."#) ?? false
      #expect(isStated == (method.replies == .many), "\(name)")
    }
  }

  @Test("The comments name the errors of a stream's parameters and of its session")
  func streamErrors() {
    let text = InterfaceText(String(decoding: SessionInterface.text, as: UTF8.self))
    #expect(text.names("io.accessoryd.Session.InvalidRequest", of: "WatchAdvertisements"))
    #expect(text.names("io.accessoryd.Session.Invalidated", of: "WatchAdvertisements"))
  }

  @Test("Fields without their own comment are found, and errors that a method does not name")
  func canary() {
    let text = InterfaceText(
      """
      interface org.example.lamps

      type Lamp (
        # Its name.
        name: string,
        color: (red, green),
        # Two of them.
        width: int, height: int
      )
      # Lights it. Errors: Broken (it is),
      # Unknown.
      method Light(name: string) -> (
        # Where.
        place: ?string
      )
      # Says what it is.
      method Ask() -> ()
      """)
    #expect(text.bareFields == ["Lamp.color", "Lamp.height", "Light.name"])
    #expect(text.names("org.example.lamps.Broken", of: "Light"))
    #expect(text.names("org.example.lamps.Unknown", of: "Light"))
    #expect(!text.names("org.example.lamps.Busy", of: "Light"))
    #expect(!text.names("org.example.lamps.Broken", of: "Ask"))
    #expect(!text.names("org.example.others.Broken", of: "Light"))
    #expect(text.names("org.varlink.service.PermissionDenied", of: "Ask"))
  }
}

/// The errors that the comments of methods name.
enum StatedErrors {
  private static let texts: [String: InterfaceText] = [
    GatewayInterface.name: text(GatewayInterface.self), SessionInterface.name: text(SessionInterface.self),
    OperatorInterface.name: text(OperatorInterface.self),
  ]

  private static func text(_ interface: (some ServedInterface).Type) -> InterfaceText {
    InterfaceText(String(decoding: interface.text, as: UTF8.self))
  }

  /// Records an issue if a method, by its full name, returned an error that its comment does not name.
  static func check(_ error: String?, of method: String) {
    guard let error, let dot = method.lastIndex(of: ".") else { return }
    let isNamed = texts[String(method[..<dot])]?.names(error, of: String(method[method.index(after: dot)...]))
    if isNamed != true {
      Issue.record("\(method) returned \(error), which its comment does not name")
    }
  }
}

@Suite("Which clients may call which methods")
struct CallRightsTests {
  private func error(_ method: String, user: UInt32, parameters: (inout JSONWriter) -> Void = { _ in }) throws
    -> String?
  {
    let harness = AgentHarness(.lights)
    let client = try #require(harness.connect(user: user))
    harness.send(Message.call(method, more: true, parameters), by: client)
    return client.replies.first?.error
  }

  @Test("An app is denied every method for operators, whatever else is wrong with the call")
  func operatorsOnly() throws {
    let denied = "org.varlink.service.PermissionDenied"
    for interface in [GatewayInterface.name, OperatorInterface.name] {
      for method in AgentMethod.allCases where method.rawValue.hasPrefix(interface) {
        #expect(try error(method.rawValue, user: 1000) == denied)
      }
      #expect(try error("\(interface).Nothing", user: 1000) == denied)
      #expect(try error("\(interface).Watch", user: 1000) { $0.member("nonsense", 1) } == denied)
    }
    #expect(
      try error("\(OperatorInterface.name).Nothing", user: 0) == "org.varlink.service.MethodNotFound")
  }

  @Test("Every admitted client may call the session interface", arguments: [0, 1000] as [UInt32])
  func sessions(user: UInt32) throws {
    #expect(
      try error("\(SessionInterface.name).Nothing", user: user) == "org.varlink.service.MethodNotFound")
    #expect(
      try error("\(SessionInterface.name).List", user: user) { $0.member("session", 1) }
        == "org.varlink.service.InvalidParameter")
  }
}
