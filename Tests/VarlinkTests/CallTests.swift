// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing
import TestSupport
import Varlink
import VarlinkClient

@Suite("Calls and replies")
struct CallTests {
  static let watch = Array(
    #"{"method":"io.accessoryd.Gateway.Watch","parameters":{"items":["bulb"]},"more":true,"oneway":false}"#
      .utf8)

  private static func received(_ text: String) -> ReceivedCall {
    ReceivedCall(reading: Array(text.utf8).span)
  }

  private static func refused(_ parameter: String, isOneway: Bool = false) -> ReceivedCall {
    .refused(.invalidParameter(parameter), isOneway: isOneway)
  }

  @Test("A call is taken apart")
  func whole() {
    guard case .call(let call) = ReceivedCall(reading: Self.watch.span) else {
      Issue.record("it was refused")
      return
    }
    #expect(call.interface == "io.accessoryd.Gateway" && call.method == "Watch")
    #expect(call.fullName == "io.accessoryd.Gateway.Watch")
    #expect(call.parameters["items"] == .array([.string("bulb")]))
    #expect(call.wantsMore && !call.isOneway)
  }

  @Test(
    "What is absent or null is the default",
    arguments: [
      #"{"method":"a.b.C"}"#, #" { "method" : "a.b.C" , "parameters" : { } } "#,
      #"{"oneway":null,"more":null,"upgrade":null,"parameters":null,"method":"a.b.C"}"#,
      #"{"method":"a.b.\u0043","upgrade":false,"more":false}"#,
    ])
  func defaults(text: String) {
    guard case .call(let call) = Self.received(text) else {
      Issue.record("it was refused")
      return
    }
    #expect(call.fullName == "a.b.C" && call.parameters == JSONObject())
    #expect(!call.wantsMore && !call.isOneway)
  }

  @Test(
    "What does not belong into a call is refused by name",
    arguments: [
      ("{}", refused("method")), (#"{"method":null}"#, refused("method")),
      (#"{"method":1}"#, refused("method")),
      (#"{"method":""}"#, refused("method")), (#"{"method":"Ping"}"#, refused("method")),
      (#"{"method":"a.Ping"}"#, refused("method")), (#"{"method":"a.b."}"#, refused("method")),
      (#"{"method":".a.b.C"}"#, refused("method")), (#"{"method":"a..b.C"}"#, refused("method")),
      (#"{"method":"a.b.c"}"#, refused("method")), (#"{"method":"a.b.C_D"}"#, refused("method")),
      (#"{"method":"a.b.C\u0000"}"#, refused("method")), (#"{"method":"a.b.\u212a"}"#, refused("method")),
      (#"{"method":"a.b.C","parameters":[]}"#, refused("parameters")),
      (#"{"method":"a.b.C","parameters":"x"}"#, refused("parameters")),
      (#"{"method":"a.b.C","more":1}"#, refused("more")),
      (#"{"method":"a.b.C","more":"true"}"#, refused("more")),
      (#"{"method":"a.b.C","oneway":0}"#, refused("oneway")),
      (#"{"method":"a.b.C","upgrade":true}"#, refused("upgrade")),
      (#"{"method":"a.b.C","upgrade":[]}"#, refused("upgrade")),
      (#"{"method":"a.b.C","Parameters":{}}"#, refused("Parameters")),
      (#"{"method":"a.b.C","com.example.trace":{}}"#, refused("com.example.trace")),
      (#"{"method":"a.b.C","oneway":true,"more":true}"#, refused("more", isOneway: true)),
      (#"{"method":"a.b.C","oneway":true,"upgrade":true}"#, refused("upgrade", isOneway: true)),
      (#"{"method":"a.b.C","oneway":true,"x":0}"#, refused("x", isOneway: true)),
      (#"{"oneway":true}"#, refused("method", isOneway: true)),
    ])
  func refusals(text: String, expected: ReceivedCall) {
    #expect(Self.received(text) == expected)
  }

  @Test(
    "What is no object is no call",
    arguments: [
      ("[]", .notAnObject), ("\"Ping\"", .notAnObject), ("null", .notAnObject),
      ("", .json(JSONError(.endOfText, at: 0))), ("{", .json(JSONError(.endOfText, at: 1))),
      ("GET / HTTP/1.1", .json(JSONError(.unexpectedByte(0x47), at: 0))),
      (#"{"method":"a.b.C"}{}"#, .json(JSONError(.trailing, at: 18))),
      (#"{"method":"a.b.C","method":"a.b.D"}"#, .json(JSONError(.duplicateName, at: 18))),
      (#"{"method":"a.b.C\ud800"}"#, .json(JSONError(.loneSurrogate, at: 16))),
    ] as [(String, CallError)])
  func unreadable(text: String, problem: CallError) {
    #expect(Self.received(text) == .unreadable(problem))
  }

  @Test("No damaged call is taken for another method's, but by its name")
  func damage() {
    withEveryDamage(of: Self.watch) { bytes, damage in
      guard case .call(let call) = ReceivedCall(reading: bytes.span) else { return }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("\"\(call.fullName)\""), "\(damage)")
    }
  }

  @Test("Calls and replies that were written read back")
  func roundTrip() {
    let call = Message.call("a.b.C", more: true) { $0.member("x", 1) }
    #expect(call == Array(#"{"method":"a.b.C","parameters":{"x":1},"more":true}"#.utf8) + [0])
    let message = Array(call.dropLast())
    guard case .call(let read) = ReceivedCall(reading: message.span) else {
      Issue.record("the call was refused")
      return
    }
    #expect(read.fullName == "a.b.C" && read.wantsMore && read.parameters["x"] == .integer(1))
    let printed = Array(Message.reply(continues: true) { $0.member("n", 2) }.dropLast())
    let reply = ReceivedReply(reading: printed.span)
    #expect(reply?.continues == true && reply?.error == nil && reply?.parameters["n"] == .integer(2))
  }

  @Test("Replies stand in one order of members")
  func printing() {
    func text(_ message: [UInt8]) -> String { String(decoding: message, as: UTF8.self) }
    #expect(text(Message.reply()) == "{\"parameters\":{}}\0")
    #expect(
      text(Message.reply(continues: true) { $0.member("n", 1) })
        == "{\"parameters\":{\"n\":1},\"continues\":true}\0")
    #expect(
      text(Message.error("a.b.Full") { $0.member("max", 3) })
        == "{\"parameters\":{\"max\":3},\"error\":\"a.b.Full\"}\0")
    #expect(
      text(Message.call("a.b.C", oneway: true))
        == "{\"method\":\"a.b.C\",\"parameters\":{},\"oneway\":true}\0")
  }

  @Test(
    "The service's errors have the specification's names and parameters",
    arguments: [
      (.interfaceNotFound("a.b"), "InterfaceNotFound", #"{"interface":"a.b"}"#),
      (.methodNotFound("a.b.C"), "MethodNotFound", #"{"method":"a.b.C"}"#),
      (.methodNotImplemented("a.b.C"), "MethodNotImplemented", #"{"method":"a.b.C"}"#),
      (.invalidParameter("x"), "InvalidParameter", #"{"parameter":"x"}"#),
      (.permissionDenied(), "PermissionDenied", "{}"),
      (.permissionDenied(reason: "r", cure: "c"), "PermissionDenied", #"{"reason":"r","cure":"c"}"#),
      (.expectedMore, "ExpectedMore", "{}"),
    ] as [(ServiceError, String, String)])
  func errors(error: ServiceError, name: String, parameters: String) {
    let expected = "{\"parameters\":\(parameters),\"error\":\"org.varlink.service.\(name)\"}\0"
    #expect(String(decoding: Message.error(error), as: UTF8.self) == expected)
  }

  @Test("A name of 16 KiB is not repeated whole")
  func echo() {
    let error = ServiceError.invalidParameter(String(repeating: "\u{F0000}", count: 4096))
    #expect(Message.error(error).count < 3200)
  }

  @Test(
    "A message that is no reply is distinguished from one",
    arguments: ["", "[]", #"{"parameters":1}"#, #"{"continues":"yes"}"#, #"{"error":{}}"#])
  func noReply(text: String) {
    #expect(ReceivedReply(reading: Array(text.utf8).span) == nil)
  }
}
