// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Setup
import Varlink
import VarlinkClient

/// An app: a stream of its events, and calls on other connections.
final class ScenarioApp {
  private unowned let scenario: SetupScenario
  private let name: String
  let user: UInt32
  /// Whether it connects to the socket of its own.
  private let hasOwnSocket: Bool
  let label: String
  private(set) var stream: HarnessClient?
  private(set) var token = ""
  private(set) var epoch = ""
  /// The number of the next event.
  private(set) var sequence: Int64 = 0
  /// All events of the stream.
  private(set) var events: [JSONObject] = []
  /// The states of the radio that the stream reported. They are no lines of the scenario.
  private(set) var radioStates: [String] = []
  private var notedCount = 0

  init(_ scenario: SetupScenario, _ name: String, user: UInt32, hasOwnSocket: Bool, label: String) {
    self.scenario = scenario
    self.name = name
    self.user = user
    self.hasOwnSocket = hasOwnSocket
    self.label = label
  }

  /// Opens a stream; `more` are the parameters that resume an earlier one.
  func activate(_ more: String = "") {
    stream = scenario.harness.connect(user: user, atSocketOf: ownSocket)
    notedCount = 0
    guard let stream else { return }
    // At its own socket an app needs no name.
    let parameters = more.isEmpty && !hasOwnSocket ? "\"app\":\"\(name)\"" : more
    scenario.harness.send(Message.text("io.accessoryd.Session.Activate", parameters, more: true), by: stream)
  }

  private var ownSocket: String? { hasOwnSocket ? name : nil }

  func hangUp() {
    collect()
    if let stream { scenario.harness.hangUp(stream) }
    stream = nil
  }

  /// Calls a method of the session interface with the app's token.
  @discardableResult
  func call(_ method: String, _ parameters: String = "", wait seconds: Double = 0) -> ScenarioCall {
    let more = parameters.isEmpty ? "" : ",\(parameters)"
    return scenario.call(
      "Session.\(method)", "\"session\":\"\(token)\"\(more)", user: user, atSocketOf: ownSocket, label: label,
      wait: seconds)
  }

  /// Makes a call about one of the app's accessories.
  @discardableResult
  func call(
    _ method: String, about accessory: String, _ parameters: String = "", wait seconds: Double = 0
  ) -> ScenarioCall {
    let more = parameters.isEmpty ? "" : ",\(parameters)"
    return call(method, "\"accessory\":\"\(accessory)\"\(more)", wait: seconds)
  }

  /// The identifier of the accessory in the latest event about one.
  var accessory: String {
    events.last { $0.object("accessory") != nil }?.object("accessory")?.text("identifier") ?? ""
  }

  func collect() {
    guard let stream else { return }
    for reply in stream.replies.dropFirst(notedCount) {
      notedCount += 1
      receive(reply)
    }
  }

  private func receive(_ reply: ReceivedReply) {
    if let token = reply.text("session") {
      self.token = token
      epoch = reply.text("epoch") ?? ""
      sequence = reply.integer("sequence") ?? 0
      reply.text("radio").map { radioStates.append($0) }
      if reply["isReset"] == .bool(true) { scenario.note(label, "reset") }
    } else if let event = reply.object("event") {
      events.append(event)
      note(event, reply.parameters.objects("accessories"))
    } else if let radio = reply.text("radio") {
      radioStates.append(radio)
    } else if let missed = reply.integer("missed") {
      scenario.note(label, "missed \(missed)")
    } else {
      StatedErrors.check(reply.error, of: "io.accessoryd.Session.Activate")
      scenario.note(label, reply.error.map { "\($0.drop(through: "."))" } ?? "the end")
    }
  }

  private func note(_ event: JSONObject, _ accessories: [JSONObject]) {
    let kind = event.text("event")
    if kind != "activated" { sequence = (event.integer("sequence") ?? 0) + 1 }
    let summaries = accessories.map { $0.accessorySummary(scenario) }
    scenario.note(label, ([event.eventSummary(scenario)] + summaries).joined(separator: ", "))
  }
}

/// An operator who watches and decides.
final class ScenarioOperator {
  private unowned let scenario: SetupScenario
  private let label: String
  private(set) var stream: HarnessClient?
  /// The latest request that it has seen.
  private(set) var request = ""
  private(set) var candidates: [JSONObject] = []
  private var noted: [String: String] = [:]
  private var notedCount = 0

  init(_ scenario: SetupScenario, _ label: String) {
    self.scenario = scenario
    self.label = label
  }

  /// `capabilities` are what the operator can do while a device is paired.
  func watch(_ capabilities: [String] = []) {
    stream = scenario.harness.connect()
    guard let stream else { return }
    let names = capabilities.map { "\"\($0)\"" }.joined(separator: ",")
    let parameters = names.isEmpty ? "" : "\"capabilities\":[\(names)]"
    scenario.harness.send(Message.text("io.accessoryd.Operator.Watch", parameters, more: true), by: stream)
  }

  func hangUp() {
    if let stream { scenario.harness.hangUp(stream) }
    stream = nil
  }

  @discardableResult
  func call(_ method: String, _ parameters: String = "", wait seconds: Double = 0) -> ScenarioCall {
    scenario.call("Operator.\(method)", parameters, user: 0, label: label, wait: seconds)
  }

  /// Makes a call about the latest request.
  @discardableResult
  func answer(_ method: String, _ parameters: String = "", wait seconds: Double = 0) -> ScenarioCall {
    let more = parameters.isEmpty ? "" : ",\(parameters)"
    return call(method, "\"request\":\"\(request)\"\(more)", wait: seconds)
  }

  @discardableResult
  func choose(_ candidate: Int = 1, _ parameters: String = "", wait seconds: Double = 0) -> ScenarioCall {
    let more = parameters.isEmpty ? "" : ",\(parameters)"
    return answer("Choose", "\"candidate\":\(candidate)\(more)", wait: seconds)
  }

  func collect() {
    guard let stream else { return }
    for reply in stream.replies.dropFirst(notedCount) {
      notedCount += 1
      receive(reply)
    }
  }

  private func receive(_ reply: ReceivedReply) {
    if let request = reply.object("request") {
      self.request = request.text("request") ?? ""
      note(self.request, request.requestSummary(scenario))
    } else if let candidate = reply.object("candidate") {
      candidates.append(candidate)
      let number = candidate.integer("candidate") ?? -1
      let shared = candidate.bool("isShared") ? " (shared)" : ""
      note(
        "\(reply.text("of") ?? "")/\(number)", "candidate \(number) \(candidate.text("name") ?? "")\(shared)")
    } else if let gone = reply.integer("gone") {
      scenario.note(label, "gone \(gone)")
    } else if reply.text("closed") != nil {
      let details = [
        reply.text("accessory").map(scenario.alias), reply.text("displayName"), reply.text("failure"),
        reply.text("pairing"),
      ]
      scenario.note(label, (["closed"] + details.compactMap { $0 }).joined(separator: " "))
    }
  }

  /// Adds a line, unless it repeats the last one about the same thing.
  private func note(_ key: String, _ text: String) {
    guard noted[key] != text else { return }
    noted[key] = text
    scenario.note(label, text)
  }
}
