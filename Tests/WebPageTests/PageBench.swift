// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import JSON
import Varlink
import VarlinkClient
import WebPage

/// A page's server with a scripted agent, and browsers that send requests.
struct PageBench {
  static let host = "127.0.0.1:8484"
  static let origin = "http://127.0.0.1:8484"

  private(set) var server: PageServer
  var now = Duration.zero
  private(set) var effects: [PageServer.Effect] = []
  private var count: UInt64 = 0
  /// What was sent to the agent and waits for a reply: the calls by the names of their methods.
  private(set) var calls: [(id: BridgeCallID, method: String, parameters: JSONObject)] = []

  init(metricsToken: String? = nil) {
    var seed: UInt8 = 0
    server = PageServer(hosts: [Self.host, "Gateway.Example", "*:8443"], metricsToken: metricsToken) {
      count in
      (0..<count).map { _ in
        seed &+= 1
        return seed
      }
    }
    step(.start)
  }

  mutating func step(_ input: PageServer.Input) {
    var inputs = [input]
    while !inputs.isEmpty {
      for effect in server.step(inputs.removeFirst(), at: now) {
        effects.append(effect)
        switch effect {
        case .openAgent(let id): inputs.append(.agentOpened(id))
        case .sendAgent(let id, let bytes): note(id, bytes)
        case .closeAgent(let id): calls.removeAll { $0.id == id }
        default: break
        }
      }
    }
  }

  private mutating func note(_ id: BridgeCallID, _ bytes: [UInt8]) {
    let message = Array(bytes.dropLast())
    guard case .object(let call)? = try? JSONReader.read(message.span),
      case .string(let method)? = call["method"]
    else { return }
    var parameters = JSONObject()
    if case .object(let given)? = call["parameters"] { parameters = given }
    calls.append((id, String(method.split(separator: ".").last ?? ""), parameters))
  }

  /// Sends a request, and returns what was done about it.
  @discardableResult
  mutating func send(_ request: WebRequest) -> [PageServer.Effect] {
    let before = effects.count
    step(.request(request))
    return Array(effects[before...])
  }

  mutating func request(
    _ method: String, _ path: String, cookie: String? = nil, body: String = "{}"
  ) -> WebRequest {
    count += 1
    var request = WebRequest(WebRequestID(listener: 0, number: count), method, path)
    (request.host, request.cookie) = (Self.host, cookie)
    if method == "POST" {
      (request.origin, request.contentType) = (Self.origin, "application/json")
      request.body = Array(body.utf8)
    }
    return request
  }

  /// The reply to a request; nil while there is none.
  func response(to request: WebRequest) -> WebResponse? {
    for effect in effects {
      switch effect {
      case .respond(request.id, let response), .beginStream(request.id, let response): return response
      default: break
      }
    }
    return nil
  }

  /// A code for a browser.
  mutating func code(_ role: Role) -> String {
    let before = effects.count
    step(.command(.link(role), CommandID(1)))
    for effect in effects[before...] { if case .answer(_, .code(let code)) = effect { return code } }
    return ""
  }

  /// Logs a browser in. Returns its cookie.
  mutating func logIn(_ role: Role) -> String {
    let request = request("POST", "/login", body: #"{"code":"\#(code(role))"}"#)
    send(request)
    let head = response(to: request)?.head ?? ""
    let line = head.split(separator: "\n").first { $0.hasPrefix("Set-Cookie: ") }
    return String(line?.dropFirst(12).prefix { $0 != ";" } ?? "")
  }

  /// Replies to the oldest call of a method.
  mutating func reply(
    _ method: String, continues: Bool = false, _ members: (inout JSONWriter) -> Void = { _ in }
  ) {
    guard let call = calls.first(where: { $0.method == method }) else { return }
    if !continues { calls.removeAll { $0.id == call.id } }
    step(.agentReceived(call.id, Message.reply(continues: continues, members)))
  }

  /// Refuses the oldest call of a method.
  mutating func refuse(_ method: String, _ error: String, _ members: (inout JSONWriter) -> Void = { _ in }) {
    guard let call = calls.first(where: { $0.method == method }) else { return }
    calls.removeAll { $0.id == call.id }
    var json = JSONWriter()
    json.message { json in
      json.member("error", error)
      json.object("parameters", members)
    }
    step(.agentReceived(call.id, json.takeBytes()))
  }

  /// What was sent to a stream after `first`.
  func sent(to request: WebRequest, after first: Int = 0) -> String {
    var bytes: [UInt8] = []
    for effect in effects[first...] { if case .send(request.id, let more) = effect { bytes += more } }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension WebResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
}
