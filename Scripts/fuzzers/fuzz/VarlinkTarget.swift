// SPDX-License-Identifier: GPL-3.0-or-later

import InterfaceDefinition
import JSON
import TestSupport
import Varlink
import VarlinkClient

/// A service of one interface, with a method of every kind.
private enum FuzzedMethod: String, ServedMethod {
  case set = "org.example.fuzzed.Set"
  case watch = "org.example.fuzzed.Watch"

  var replies: ReplyCount { self == .watch ? .many : .one }
}

/// Its description is made again for every call: to the leak detector, what only a global text refers to is lost.
private enum FuzzedInterface: ServedInterface {
  static let name = "org.example.fuzzed"
  static var calls: InterfaceDescription { callDescription() }
  static var text: [UInt8] {
    Array(
      """
      interface org.example.fuzzed
      type Place (x: int, y: ?float, way: (north, south), inner: ?Place)
      method Set(places: []Place, names: [string]string, on: bool, any: ?object) -> ()
      method Watch(from: ?int) -> (number: int)
      method Rest() -> ()
      """.utf8)
  }
}

private func makeService() -> Service<FuzzedMethod> {
  Service(
    ServiceIdentity(vendor: "", product: "", version: "", url: ""), interfaces: [FuzzedInterface.self])
}

var varlinkSeeds: [[UInt8]] {
  [
    Message.call("org.varlink.service.GetInfo"),
    Message.call("org.varlink.service.GetInterfaceDescription") {
      $0.member("interface", "org.example.fuzzed")
    },
    Message.call("org.example.fuzzed.Watch", more: true) { $0.member("from", 3) },
    Array(
      #"""
      {"method":"org.example.fuzzed.Set","parameters":{"places":[{"x":-1,"y":1.5e3,"way":"north","inner":{"x":0,
      "way":"south"}}],"names":{"gr\u00fcn":"\ud83d\udca1"},"on":true,"any":null},"oneway":true,"upgrade":false}
      """#.utf8) + [0],
  ]
}

/// Serves a client that writes `bytes` in small parts and reads more slowly now and then.
func fuzzVarlink(_ bytes: RawSpan) {
  let service = makeService()
  var connection = ServerConnection()
  var rest = bytes.bytes[...]
  var sent: [UInt8] = []
  var turns = 0
  while true {
    turns += 1
    precondition(turns <= 2 * bytes.byteCount + 1024, "turns without end")
    connection.beginTurn()
    let part = rest.prefix(min(1 + turns % 61, connection.receivableByteCount))
    connection.receive(Array(part).span)
    rest = rest.dropFirst(part.count)
    if rest.isEmpty { connection.endInput() }
    let isOver = performAll(&connection, of: service)
    connection.drain { span in
      let count = min(span.count, turns % 7 == 0 ? span.count : 512)
      for index in 0..<count { sent.append(span[index]) }
      return count
    }
    if isOver { break }
  }
  checkReplies(sent)
}

/// Returns whether the connection is closed.
private func performAll(_ connection: inout ServerConnection, of service: Service<FuzzedMethod>) -> Bool {
  for _ in 0...17 {
    precondition(
      connection.sendableByteCount <= connection.limits.outputBytesMax, "the output outgrew its limit")
    switch connection.nextAction(at: .zero) {
    case .wait, .yield: return false
    case .close: return true
    case .perform(let call): answer(call, of: service, &connection)
    }
  }
  preconditionFailure("more calls than a turn takes")
}

private func answer(
  _ call: Call, of service: Service<FuzzedMethod>, _ connection: inout ServerConnection
) {
  switch service.dispatch(call) {
  case .reply(let message): connection.reply(message)
  case .refuse(let error): connection.reply(Message.error(error))
  case .perform(.watch, let parameters):
    let number = (try? parameters.integerIfPresent("from")) ?? 0
    let message = Message.reply(continues: true) { $0.member("number", number) }
    if message.count <= connection.continuedReplyBytesMax { connection.reply(message, continues: true) }
    connection.reply(Message.reply { $0.member("number", number) })
  case .perform(.set, let parameters):
    precondition((try? parameters.bool("on")) != nil, "a parameter of another type than described")
    connection.reply(Message.reply())
  }
}

/// Everything sent is whole replies.
private func checkReplies(_ sent: [UInt8]) {
  precondition(sent.last ?? 0 == 0, "half a reply")
  for message in sent.split(separator: 0) {
    precondition(ReceivedReply(reading: Array(message).span) != nil, "a reply that is none")
  }
}

/// Reads an interface definition.
func fuzzDefinition(_ bytes: RawSpan) {
  let text = bytes.bytes
  do {
    let description = try InterfaceParser.parse(text)
    precondition(!description.name.isEmpty && !description.members.isEmpty, "it describes nothing")
  } catch {
    precondition(
      error.line >= 1 && error.column >= 1 && error.column <= text.count + 1, "a place outside the text")
    precondition("\(error)".utf8.count < 2 * text.count + 100)
  }
}

var definitionSeeds: [[UInt8]] { [FuzzedInterface.text] }
