// SPDX-License-Identifier: Apache-2.0

// A service that speaks over standard input and output, as "bridge" commands of Varlink clients do: the module under
// test behind the smallest possible shell. Its interface lies in the folder named by the first argument.

import InterfaceDefinition
import Glibc
import JSON
import TestSupport
import Varlink

enum PeerMethod: String, ServedMethod {
  case echo = "org.example.everything.Echo"
  case nothing = "org.example.everything.Nothing"
  case count = "org.example.everything.Count"
  case fail = "org.example.everything.Fail"

  var replies: ReplyCount { self == .count ? .many : .one }
}

enum EverythingInterface: ServedInterface {
  static let name = "org.example.everything"
  static let calls = callDescription()
  static let text = file(CommandLine.arguments[1] + "/org.example.everything.varlink")
}

func file(_ path: String) -> [UInt8] {
  guard let file = unsafe fopen(path, "r") else { preconditionFailure("no file \(path)") }
  defer { unsafe fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 16)
  let count = unsafe fread(&bytes, 1, bytes.count, file)
  return Array(bytes[..<count])
}

func answer(_ call: Call, of service: Service<PeerMethod>, on connection: inout ServerConnection) {
  switch service.dispatch(call) {
  case .reply(let message): connection.reply(message)
  case .refuse(let error): connection.reply(Message.error(error))
  case .perform(.echo, let parameters):
    connection.reply(Message.reply { $0.member("value", parameters["value"]) })
  case .perform(.nothing, _): connection.reply(Message.reply())
  case .perform(.fail, let parameters):
    let reason = try? parameters.string("reason")
    connection.reply(Message.error("org.example.everything.TooMuch") { $0.member("reason", reason) })
  case .perform(.count, let parameters):
    let last = (try? parameters.integer("to")) ?? 1
    for number in 1..<max(1, last) {
      connection.reply(Message.reply(continues: true) { $0.member("number", number) }, continues: true)
    }
    connection.reply(Message.reply { $0.member("number", last) })
  }
}

func serve(_ service: Service<PeerMethod>) {
  var connection = ServerConnection()
  var buffer = [UInt8](repeating: 0, count: 4096)
  while true {
    connection.beginTurn()
    action: while true {
      switch connection.nextAction(at: .zero) {
      case .perform(let call): answer(call, of: service, on: &connection)
      case .close: return
      case .wait, .yield: break action
      }
    }
    connection.drain { span in
      // Holds: the bytes are lent until the call returns.
      unsafe max(0, span.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) })
    }
    let count = unsafe read(0, &buffer, min(buffer.count, connection.receivableByteCount))
    if count > 0 {
      connection.receive(buffer.span.extracting(first: count))
    } else {
      connection.endInput()
    }
  }
}

let identity = ServiceIdentity(
  vendor: "Example", product: "Everything", version: "1.0", url: "https://example.org/")
let service = Service<PeerMethod>(identity, interfaces: [EverythingInterface.self])
try service.check()
serve(service)
