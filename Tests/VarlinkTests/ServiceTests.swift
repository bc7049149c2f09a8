// SPDX-License-Identifier: Apache-2.0

import InterfaceDefinition
import JSON
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// What the tests' service performs.
enum ExampleMethod: String, ServedMethod {
  case echo = "org.example.everything.Echo"
  case nothing = "org.example.everything.Nothing"
  case count = "org.example.everything.Count"
  case fail = "org.example.everything.Fail"
  case grow = "org.example.everything.Grow"

  var replies: ReplyCount { self == .count ? .many : .one }
}

enum EverythingInterface: ServedInterface {
  static let name = "org.example.everything"
  static let calls = callDescription()
  static var text: [UInt8] { Descriptions.everythingText }
}

/// Has types that no method takes.
private enum LampInterface: ServedInterface {
  static let name = "org.example.lamp"
  static let calls = callDescription()
  static var text: [UInt8] {
    Array(
      """
      interface org.example.lamp
      type Color (red: int)
      type Mode (on, off)
      type Place (inner: ?Place, colors: [][string]Color)
      type Report (color: Color, usage: Usage)
      type Usage (hours: int)
      method Light(at: ?[]Place, settings: (mode: Mode)) -> (report: Report)
      error Broken (usage: Usage)
      """.utf8)
  }
}

/// Takes the name that every service has.
private enum SecondService: ServedInterface {
  static let name = "org.varlink.service"
  static let calls = callDescription()
  static var text: [UInt8] { Array("interface org.varlink.service\nmethod GetInfo()->()".utf8) }
}

/// Has a description that is too long for one reply.
private enum LongInterface: ServedInterface {
  static let name = "org.a"
  static let calls = callDescription()
  static var text: [UInt8] {
    Array("interface org.a\nerror A ()\n#\(String(repeating: "\u{1}", count: 7000))".utf8)
  }
}

/// Methods that no test performs.
private enum Undescribed: String, ServedMethod {
  case ping = "org.example.everything.Ping"

  var replies: ReplyCount { .one }
}

@Suite("What a service does about a call")
struct ServiceTests {
  static let identity = ServiceIdentity(
    vendor: "Example", product: "Everything", version: "1.0", url: "https://example.org/")

  static func service() -> Service<ExampleMethod> {
    Service(identity, interfaces: [EverythingInterface.self])
  }

  /// The decision about a call, in one line.
  private static func outcome(_ method: String, _ parameters: String = "{}", more: Bool = false) throws
    -> String
  {
    let text = "{\"method\":\"\(method)\",\"parameters\":\(parameters),\"more\":\(more)}"
    guard case .call(let call) = ReceivedCall(reading: Array(text.utf8).span) else { return "no call" }
    switch service().dispatch(call) {
    case .reply(let message): return String(decoding: message.dropLast(), as: UTF8.self)
    case .refuse(let error): return String(decoding: Message.error(error).dropLast(), as: UTF8.self)
    case .perform(let method, let parameters): return "\(method) \(parameters.object.members.map(\.name))"
    }
  }

  private static func failure(_ error: String, _ key: String, _ value: String) -> String {
    "{\"parameters\":{\"\(key)\":\"\(value)\"},\"error\":\"org.varlink.service.\(error)\"}"
  }

  @Test("A described and served method is performed")
  func performed() throws {
    #expect(try Self.outcome("org.example.everything.Nothing") == "nothing []")
    #expect(try Self.outcome("org.example.everything.Nothing", more: true) == "nothing []")
    #expect(try Self.outcome("org.example.everything.Fail", #"{"reason":"r"}"#) == #"fail ["reason"]"#)
    #expect(try Self.outcome("org.example.everything.Count", #"{"to":3}"#, more: true) == #"count ["to"]"#)
  }

  @Test("What cannot be performed is refused with the specification's error")
  func refused() throws {
    let more = try Self.outcome("org.example.everything.Count", #"{"to":3}"#)
    #expect(more == #"{"parameters":{},"error":"org.varlink.service.ExpectedMore"}"#)
    #expect(
      try Self.outcome("org.example.x.Nothing")
        == Self.failure("InterfaceNotFound", "interface", "org.example.x"))
    for method in ["Ping", "Empty", "Everything"] {
      let name = "org.example.everything.\(method)"
      #expect(try Self.outcome(name) == Self.failure("MethodNotFound", "method", name))
    }
    let rest = "org.example.everything.Rest"
    #expect(try Self.outcome(rest) == Self.failure("MethodNotImplemented", "method", rest))
    #expect(
      try Self.outcome("org.example.everything.Nothing", #"{"x":0}"#)
        == Self.failure("InvalidParameter", "parameter", "x"))
    #expect(
      try Self.outcome("org.example.everything.Fail")
        == Self.failure("InvalidParameter", "parameter", "reason"))
    #expect(
      try Self.outcome("org.example.everything.Grow", #"{"tree":{"value":1,"children":[{"value":2}]}}"#)
        == Self.failure("InvalidParameter", "parameter", "tree.children[0].children"))
  }

  @Test("The service says what it is")
  func information() throws {
    let expected = """
      {"parameters":{"vendor":"Example","product":"Everything","version":"1.0","url":"https://example.org/",\
      "interfaces":["org.varlink.service","org.example.everything"]}}
      """
    #expect(try Self.outcome("org.varlink.service.GetInfo") == expected)
    #expect(
      try Self.outcome("org.varlink.service.GetInfo", #"{"all":true}"#)
        == Self.failure("InvalidParameter", "parameter", "all"))
  }

  @Test("Descriptions are served as they stand")
  func descriptions() throws {
    func description(_ interface: String) throws -> JSONValue? {
      let reply = try Self.outcome(
        "org.varlink.service.GetInterfaceDescription", "{\"interface\":\"\(interface)\"}")
      return ReceivedReply(reading: Array(reply.utf8).span)?.parameters["description"]
    }
    let text = String(decoding: Descriptions.everythingText, as: UTF8.self)
    #expect(try description("org.example.everything") == .string(text))
    guard case .string(let service)? = try description("org.varlink.service") else {
      Issue.record("no description")
      return
    }
    let parsed = try Descriptions.parse(service)
    #expect(parsed.method("GetInfo") != nil && parsed.error("ExpectedMore") == [])
    #expect(try description("org.example") == nil)
    #expect(try description("org.example.\u{212A}") == nil)
  }

  @Test("Calls are checked against what methods take, and the types that it names, directly or not")
  func callDescription() {
    let whole = LampInterface.description()
    let calls = LampInterface.calls
    #expect(calls.name == whole.name)
    #expect(calls.members.keys.sorted() == ["Color", "Light", "Mode", "Place"])
    for type in ["Color", "Mode", "Place"] { #expect(calls.members[type] == whole.members[type]) }
    #expect(calls.method("Light")?.input == whole.method("Light")?.input)
    #expect(calls.method("Light")?.output == [])
    #expect(ServiceInterface.calls == ServiceInterface.callDescription())
  }

  @Test("A service that could not keep its word is not offered")
  func problems() throws {
    let everything = EverythingInterface.self
    try Self.service().check()
    #expect(throws: ServiceSetupError.undescribedMethod("org.example.everything.Ping")) {
      try Service<Undescribed>(Self.identity, interfaces: [everything]).check()
    }
    #expect(throws: ServiceSetupError.duplicateInterface("org.example.everything")) {
      try Service<ExampleMethod>(Self.identity, interfaces: [everything, everything]).check()
    }
    #expect(throws: ServiceSetupError.duplicateInterface("org.varlink.service")) {
      try Service<ExampleMethod>(Self.identity, interfaces: [SecondService.self, everything]).check()
    }
    #expect(throws: ServiceSetupError.descriptionTooLong("org.a", byteCount: 42_064)) {
      try Service<ExampleMethod>(Self.identity, interfaces: [everything, LongInterface.self]).check()
    }
  }

  @Test("Parameters are read as what they are described to be")
  func parameters() throws {
    let text = #"{"method":"org.example.everything.Fail","parameters":{"reason":"r"}}"#
    guard case .call(let call) = ReceivedCall(reading: Array(text.utf8).span),
      case .perform(.fail, let parameters) = Self.service().dispatch(call)
    else {
      Issue.record("not performed")
      return
    }
    #expect(try parameters.string("reason") == "r" && parameters.stringIfPresent("absent") == nil)
    #expect(try parameters.integerIfPresent("absent") == nil && parameters.strings("absent") == [])
    #expect(try parameters.bool("absent", default: true))
    #expect(throws: ServiceError.invalidParameter("reason")) { try parameters.integer("reason") }
    #expect(throws: ServiceError.invalidParameter("absent")) { try parameters.string("absent") }
    #expect(throws: ServiceError.invalidParameter("reason")) { try parameters.strings("reason") }
    #expect(throws: ServiceError.invalidParameter("reason")) { try parameters.bool("reason") }
  }
}
