// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Setup
import Varlink

/// An app: a stream of its events, and calls on other connections.
final class ScenarioApp {
  private unowned let scenario: SetupScenario
  private let name: String
  let user: UInt32
  let label: String
  private(set) var stream: HarnessClient?
  private(set) var token = ""
  private(set) var epoch = ""
  /// The number of the event that comes next.
  private(set) var sequence: Int64 = 0
  /// Everything that the stream has said.
  private(set) var events: [JSONObject] = []
  private var toldCount = 0

  init(_ scenario: SetupScenario, _ name: String, user: UInt32, label: String) {
    self.scenario = scenario
    self.name = name
    self.user = user
    self.label = label
  }

  /// Opens a stream; with parameters of its own it goes on with an old one.
  func activate(_ more: String = "") {
    stream = scenario.harness.connect(user: user)
    toldCount = 0
    guard let stream else { return }
    let parameters = more.isEmpty ? "\"app\":\"\(name)\"" : more
    scenario.harness.send(Message.text("io.accessoryd.Session.Activate", parameters, more: true), by: stream)
  }

  func hangUp() {
    collect()
    if let stream { scenario.harness.hangUp(stream) }
    stream = nil
  }

  /// Calls a method of its interface with its token.
  @discardableResult
  func call(_ method: String, _ parameters: String = "") -> ScenarioCall {
    let more = parameters.isEmpty ? "" : ",\(parameters)"
    return scenario.call("Session.\(method)", "\"session\":\"\(token)\"\(more)", user: user, label: label)
  }

  /// A call about one of its accessories.
  @discardableResult
  func call(_ method: String, about accessory: String, _ parameters: String = "") -> ScenarioCall {
    let more = parameters.isEmpty ? "" : ",\(parameters)"
    return call(method, "\"accessory\":\"\(accessory)\"\(more)")
  }

  /// The identifier of the accessory that it was told of last.
  var accessory: String {
    events.last { $0.object("accessory") != nil }?.object("accessory")?.text("identifier") ?? ""
  }

  func collect() {
    guard let stream else { return }
    for reply in stream.replies.dropFirst(toldCount) {
      toldCount += 1
      take(reply)
    }
  }

  private func take(_ reply: ReceivedReply) {
    if let token = reply.text("session") {
      self.token = token
      epoch = reply.text("epoch") ?? ""
      sequence = reply.integer("sequence") ?? 0
      if reply["isReset"] == .bool(true) { scenario.note(label, "reset") }
    } else if let event = reply.object("event") {
      events.append(event)
      tell(event, reply.parameters.objects("accessories"))
    } else if let missed = reply.integer("missed") {
      scenario.note(label, "missed \(missed)")
    } else {
      StatedErrors.check(reply.error, of: "io.accessoryd.Session.Activate")
      scenario.note(label, reply.error.map { "\($0.drop(through: "."))" } ?? "the end")
    }
  }

  private func tell(_ event: JSONObject, _ accessories: [JSONObject]) {
    let kind = event.text("event")
    if kind != "activated" { sequence = (event.integer("sequence") ?? 0) + 1 }
    let words = accessories.map { $0.accessoryWords(scenario) }
    scenario.note(label, ([event.eventWords(scenario)] + words).joined(separator: ", "))
  }
}

/// An operator who watches, and decides.
final class ScenarioOperator {
  private unowned let scenario: SetupScenario
  private let label: String
  private(set) var stream: HarnessClient?
  /// The request that was told of last.
  private(set) var request = ""
  private(set) var candidates: [JSONObject] = []
  private var told: [String: String] = [:]
  private var toldCount = 0

  init(_ scenario: SetupScenario, _ label: String) {
    self.scenario = scenario
    self.label = label
  }

  func watch() {
    stream = scenario.harness.connect()
    guard let stream else { return }
    scenario.harness.send(Message.text("io.accessoryd.Operator.Watch", "", more: true), by: stream)
  }

  @discardableResult
  func call(_ method: String, _ parameters: String = "") -> ScenarioCall {
    scenario.call("Operator.\(method)", parameters, user: 0, label: label)
  }

  /// A call about the request that it was told of last.
  @discardableResult
  func answer(_ method: String, _ parameters: String = "") -> ScenarioCall {
    let more = parameters.isEmpty ? "" : ",\(parameters)"
    return call(method, "\"request\":\"\(request)\"\(more)")
  }

  @discardableResult
  func choose(_ candidate: Int = 1, _ parameters: String = "") -> ScenarioCall {
    let more = parameters.isEmpty ? "" : ",\(parameters)"
    return answer("Choose", "\"candidate\":\(candidate)\(more)")
  }

  func collect() {
    guard let stream else { return }
    for reply in stream.replies.dropFirst(toldCount) {
      toldCount += 1
      take(reply)
    }
  }

  private func take(_ reply: ReceivedReply) {
    if let request = reply.object("request") {
      self.request = request.text("request") ?? ""
      tell(self.request, request.requestWords(scenario))
    } else if let candidate = reply.object("candidate") {
      candidates.append(candidate)
      let number = candidate.integer("candidate") ?? -1
      let shared = candidate.truth("isShared") ? " (shared)" : ""
      tell(
        "\(reply.text("of") ?? "")/\(number)", "candidate \(number) \(candidate.text("name") ?? "")\(shared)")
    } else if let gone = reply.integer("gone") {
      scenario.note(label, "gone \(gone)")
    } else if reply.text("closed") != nil {
      let said = [
        reply.text("accessory").map(scenario.alias), reply.text("displayName"), reply.text("failure"),
      ]
      scenario.note(label, (["closed"] + said.compactMap { $0 }).joined(separator: " "))
    }
  }

  /// What sounds as before is not told again.
  private func tell(_ key: String, _ words: String) {
    guard told[key] != words else { return }
    told[key] = words
    scenario.note(label, words)
  }
}
