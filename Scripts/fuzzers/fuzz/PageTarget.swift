// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import JSON
import TestSupport
import Varlink
import WebPage

/// What a browser sends to the page. The first byte says who it is (0 a viewer, 1 an operator, else unknown); the rest are
/// fields with zeros between: method, path, host, origin, type of content, cookie, body.
func fuzzPage(_ bytes: RawSpan) {
  let all = bytes.bytes
  guard let role = all.first else { return }
  var server = PageServer(hosts: ["localhost"], metricsToken: "0123456789abcdef") { count in
    [UInt8](repeating: 0xAB, count: count)
  }
  _ = server.step(.start, at: .zero)
  if role < 2 { logIn(&server, role == 1 ? .operator : .viewer) }
  let fields = all.dropFirst().split(separator: 0, maxSplits: 6, omittingEmptySubsequences: false).map {
    String(decoding: $0, as: UTF8.self)
  }
  func field(_ index: Int) -> String? { index < fields.count && !fields[index].isEmpty ? fields[index] : nil }
  var request = WebRequest(WebRequestID(listener: 0, number: 2), field(0) ?? "", field(1) ?? "")
  (request.host, request.origin, request.contentType, request.cookie) = (
    field(2), field(3), field(4), field(5)
  )
  request.body = Array((field(6) ?? "").utf8)
  let effects = server.step(.request(request), at: .seconds(1))
  var responses = 0
  for effect in effects {
    switch effect {
    case .respond, .beginStream, .file, .manifest, .draft: responses += 1
    case .openAgent(let id):
      precondition(request.host?.lowercased() == "localhost", "nothing is asked for another host's page")
      precondition(role < 2 || id.number == 3, "nothing is asked for a browser that is not logged in")
      precondition(
        request.method != "POST" || request.origin?.lowercased().hasSuffix("://localhost") == true,
        "nothing is asked for another page")
    default: break
    }
  }
  precondition(responses <= 1, "a request has one reply")
  _ = server.step(.left(request.id), at: .seconds(2))
  _ = server.step(.timePassed, at: .seconds(100_000))
}

private func logIn(_ server: inout PageServer, _ role: Role) {
  var code = ""
  for case .answer(_, .code(let text)) in server.step(.command(.link(role), CommandID(1)), at: .zero) {
    code = text
  }
  var request = WebRequest(
    WebRequestID(listener: 0, number: 1), "POST", "/login", body: Array(#"{"code":"\#(code)"}"#.utf8))
  (request.host, request.origin, request.contentType) = ("localhost", "http://localhost", "application/json")
  _ = server.step(.request(request), at: .zero)
}

let pageSeeds: [[UInt8]] = {
  let cookie = "accessory_web=" + String(repeating: "ab", count: 32)
  func seed(_ role: UInt8, _ route: Route, _ body: String) -> [UInt8] {
    let fields = [
      String(route.method), String(route.path), "localhost", "http://localhost", "application/json", cookie,
      body,
    ]
    return [role] + Array(fields.map { Array($0.utf8) }.joined(separator: [0]))
  }
  let bodies: [(Route, String)] = [
    (.login, #"{"code":"abababababababababababababababab"}"#),
    (.choose, #"{"request":"aa","candidate":1,"name":"Lamp"}"#),
    (.answer, #"{"request":"aa","matches":true}"#),
    (.open, #"{"app":"lights","items":["bulb"]}"#), (.record, #"{"seconds":60}"#),
    (.choose, #"{"request":"aa","candidate":1,"replaces":"bb"}"#), (.replace, #"{"accessory":"aa"}"#),
    (.history, #"{"device":"AA:BB:CC:DD:EE:FF"}"#),
    (.check, ##"{"text":"schema = 1\n"}"##), (.explain, #"{"device":"AA:BB:CC:DD:EE:FF"}"#),
  ]
  return Route.allCases.map { seed(1, $0, "{}") } + bodies.map { seed(1, $0.0, $0.1) }
    + [seed(0, .events, ""), seed(2, .page, "")]
}()
