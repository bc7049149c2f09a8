// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import Interfaces
import JSON
import VarlinkClient

/// What a change asks of the agent.
private struct Change {
  let method: OperatorMethodName
  /// How long the agent may take, as its interface says, and two seconds.
  var seconds = 3
  /// The request that it answers.
  var request: String?
  let write: @Sendable (inout JSONWriter) -> Void
}

extension PageServer {
  private static let answersMax = 32

  /// Makes a change that a browser asks for.
  mutating func change(
    _ request: WebRequest, _ route: Route, _ body: JSONObjectReader, _ session: Session
  ) throws(JSONMemberError) {
    switch route {
    case .open: try open(request, body, session)
    case .pair: try pair(request, body, session)
    case .replace: try replace(request, body, session)
    default: make(try Self.change(route, body), request, session)
    }
  }

  private static func change(_ route: Route, _ body: JSONObjectReader) throws(JSONMemberError) -> Change {
    switch route {
    case .choose: return try choice(body)
    case .answer: return try pairingAnswer(body)
    case .name: return try naming(body)
    case .deny: return try answer(.deny, seconds: 3, body)
    case .cancel: return try answer(.cancel, seconds: 3, body)
    case .agree: return try answer(.agree, seconds: 42, body)
    case .rename:
      let (accessory, name) = (try body.string("accessory"), try body.string("name"))
      return Change(method: .rename, seconds: 32) { json in
        json.member("accessory", accessory)
        json.member("name", name)
      }
    case .remove, .disconnect:
      let accessory = try body.string("accessory")
      let method: OperatorMethodName = route == .remove ? .remove : .disconnect
      return Change(method: method, seconds: 32) { $0.member("accessory", accessory) }
    case .allow:
      let (app, device) = (try body.string("app"), try body.string("device"))
      return Change(method: .allow, seconds: 32) { json in
        json.member("app", app)
        json.member("device", device)
      }
    case .authorize:
      let app = try body.string("app")
      return Change(method: .authorize, seconds: 32) { $0.member("app", app) }
    default: preconditionFailure("only changes come here")
    }
  }

  private static func choice(_ body: JSONObjectReader) throws(JSONMemberError) -> Change {
    let (request, candidate): (String, UInt32) = (try body.string("request"), try body.integer("candidate"))
    let (name, ssid) = (try body.stringIfPresent("name"), try body.stringIfPresent("ssid"))
    let replaces = try body.stringIfPresent("replaces")
    return Change(method: .choose, seconds: 162, request: request) { json in
      json.member("request", request)
      json.member("candidate", candidate)
      json.member("name", name)
      json.member("ssid", ssid)
      json.member("replaces", replaces)
    }
  }

  private static func pairingAnswer(_ body: JSONObjectReader) throws(JSONMemberError) -> Change {
    let request = try body.string("request")
    let (matches, digits) = (try body.boolIfPresent("matches"), try body.stringIfPresent("digits"))
    return Change(method: .answerPairing, request: request) { json in
      json.member("request", request)
      json.member("matches", matches)
      json.member("digits", digits)
    }
  }

  private static func naming(_ body: JSONObjectReader) throws(JSONMemberError) -> Change {
    let (request, name) = (try body.string("request"), try body.string("name"))
    return Change(method: .name, seconds: 32, request: request) { json in
      json.member("request", request)
      json.member("name", name)
    }
  }

  private static func answer(
    _ method: OperatorMethodName, seconds: Int, _ body: JSONObjectReader
  ) throws(JSONMemberError) -> Change {
    let request = try body.string("request")
    return Change(method: method, seconds: seconds, request: request) { $0.member("request", request) }
  }

  private mutating func make(_ change: Change, _ request: WebRequest, _ session: Session) {
    let what = String(change.method.rawValue.split(separator: ".").last ?? "")
    if let about = change.request { note(session.name, answers: about) }
    ask(.once(change.method, within: .seconds(change.seconds), change.write)) { server, answer in
      server.end(request, what, change.request, session, answer)
    }
  }

  /// Replies to a change that was made, or was refused.
  private mutating func end(
    _ request: WebRequest, _ what: String, _ about: String?, _ session: Session, _ answer: AgentAnswer
  ) {
    switch answer {
    case .success(let replies):
      effects.append(.log(.changed(name: session.name, what: what, failure: nil)))
      let result = replies.last?.parameters ?? JSONObject()
      respond(
        request,
        .object { json in
          for member in result.members { json.member(member.name, member.value) }
        })
    case .failure(let error):
      effects.append(.log(.changed(name: session.name, what: what, failure: error.sentence)))
      respond(request, refusal(error, about, session))
    }
  }

  private mutating func refusal(_ error: QuestionError, _ about: String?, _ session: Session) -> WebResponse {
    answeredBy.removeAll { $0.request == about && $0.name == session.name }
    guard error.isClosed else { return .refusal(.failed, error.sentence) }
    let other = answeredBy.last { $0.request == about }?.name
    return .refusal(
      .conflict,
      other.map { "\($0) was quicker: the request is answered already." }
        ?? "The request has ended, or another operator was quicker.")
  }

  private mutating func note(_ name: String, answers request: String) {
    answeredBy.append((request, name))
    if answeredBy.count > Self.answersMax { answeredBy.removeFirst() }
  }

  // MARK: - What ends with its connection

  private mutating func open(
    _ request: WebRequest, _ body: JSONObjectReader, _ session: Session
  ) throws(JSONMemberError) {
    var parameters = OpenParameters(app: try body.string("app"))
    parameters.items = try body.stringsIfPresent("items")
    parameters.discoveryTimeout = "long"
    hold(.open, "Open", request, session) { [parameters] in parameters.writeMembers(to: &$0) }
  }

  private mutating func pair(
    _ request: WebRequest, _ body: JSONObjectReader, _ session: Session
  ) throws(JSONMemberError) {
    let accessory = try body.string("accessory")
    hold(.pair, "Pair", request, session) { $0.member("accessory", accessory) }
  }

  private mutating func replace(
    _ request: WebRequest, _ body: JSONObjectReader, _ session: Session
  ) throws(JSONMemberError) {
    let accessory = try body.string("accessory")
    hold(.replace, "Replace", request, session) { $0.member("accessory", accessory) }
  }

  /// Keeps a call whose request ends with its connection. The browser gets the first reply; the others come to all of them
  /// with the request.
  private mutating func hold(
    _ method: OperatorMethodName, _ what: String, _ request: WebRequest, _ session: Session,
    _ write: @escaping @Sendable (inout JSONWriter) -> Void
  ) {
    guard heldCount < Self.openMax else {
      return respond(request, .refusal(.unavailable, "Too many requests are open. Close one of them."))
    }
    var isAnswered = false
    ask(
      .once(method, within: .seconds(10), write), isHeld: true,
      onReply: { server, reply in
        guard !isAnswered else { return }
        isAnswered = true
        server.end(request, what, nil, session, .success([reply]))
      },
      { server, answer in
        guard !isAnswered else { return }
        isAnswered = true
        server.end(request, what, nil, session, answer)
      })
  }
}
