// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import ArgumentParser
import Interfaces
import JSON
import LinuxSystem
import ToolText
import Varlink

struct PairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Pair the device of an accessory again that has lost its bond.",
    discussion: """
      A device that was reset no longer accepts its keys: accessoryctl list shows the bond as lost. \
      Switch the device to pairing, bring it near, and run this command. It asks in the terminal \
      for digits if the device needs them. The app keeps its accessory with all identifiers. \
      Some devices get a new identity when they are reset, and are not found here any more: remove such an \
      accessory with accessoryctl remove, and set it up again. \
      Exit status: 0 it is paired, 1 it is not, or there is no such accessory, 75 another operator is pairing it.

      Examples:
        accessoryctl pair "Front door"
        accessoryctl pair 4f1c --yes
      """)

  @OptionGroup var options: AccessoryOptions

  @Flag(help: "Do not ask before it begins.")
  var yes = false

  @Flag(help: ArgumentHelp("Digits can be read and typed here, although there is no terminal; see answer."))
  var digits = false

  @Flag(help: "One JSON object for a question and for the result (Config/schema/pair.schema.json).")
  var json = false

  func run() throws {
    let (accessory, _) = try options.resolve(asDevice: true)
    if let note = accessory.pairingNote { PairingPrompt.say(note) }
    if !yes {
      try Confirmation.ask(
        "\(quoted(accessory.displayName)) is paired again, and the keys that it had are deleted.\n"
          + "Switch it to pairing, and bring it near.")
    }
    var pairing = try LivePairing(options.gateway.path, accessory, isAnswered: digits, json: json)
    try pairing.run()
  }
}

/// A pairing that goes on: the call `Pair`, the watch that shows its questions, and the answers.
private struct LivePairing: ~Copyable {
  private let path: String
  private let accessory: AccessoryLine
  private let json: Bool
  private let interruption: Interruption
  private var watch: GatewayConnection
  private var call: GatewayConnection
  private var request: String?
  private var result: PairReply?
  private var prompt: PairingPrompt
  private var answering: PendingAction?
  private var printer = Printer()

  init(_ path: String, _ accessory: AccessoryLine, isAnswered: Bool, json: Bool) throws(ToolError) {
    let interruption = try Interruption()
    do throws(AgentCallError) {
      let watch = try GatewayConnection.watchingRequests(
        path, PairingPrompt.capabilities(isAnswered: isAnswered))
      var call = try GatewayConnection(path: path)
      try call.startCall(OperatorMethodName.pair) { $0.member("accessory", accessory.identifier) }
      self.path = path
      self.accessory = accessory
      // The note was printed before the person was asked.
      self.prompt = PairingPrompt(printedNote: accessory.pairingNote)
      self.json = json
      self.interruption = interruption
      self.watch = watch
      self.call = call
    } catch {
      throw error.toolError(at: path)
    }
  }

  /// Runs until the device is paired, or is not. A signal ends the pairing.
  mutating func run() throws(ToolError) {
    if !json { StandardError.say("pairing \(quoted(accessory.displayName)); Ctrl-C ends this") }
    while result == nil {
      let ready = try wait()
      if !ready[0].isEmpty { return try interrupt() }
      do throws(AgentCallError) { try advance(ready) } catch { throw toolError(error) }
      try printer.flush()
    }
    guard let result else { return }
    if json {
      try printer.line(PairedLine(accessory: accessory, result: result))
    } else {
      let sentence = PairingSentences.result(result.method, isAuthenticated: result.isAuthenticated)
      try printer.text("\(quoted(accessory.displayName)) is \(sentence)\n")
    }
    try printer.flush()
  }

  /// The sentence for an error; the general ones speak of a setup, of options, and of requests of apps.
  private func toolError(_ error: AgentCallError) -> ToolError {
    guard case .refused(let reply) = error else { return error.toolError(at: path) }
    let parameters = ErrorParameters(reply.parameters)
    let name = quoted(accessory.displayName)
    switch reply.error.flatMap(OperatorErrorName.init) {
    case .setupFailed:
      return .sentence(
        "the device was not paired: \(parameters.sentence("reason")); \(parameters.sentence("cure"))", .no)
    case .invalid: return .sentence("\(name) was not paired: \(parameters.sentence("reason"))", .no)
    case .busy:
      return .sentence(
        "another operator is pairing \(name), or is asked about it; wait until that ends", .temporaryFailure)
    case .requestClosed, .notFound, .registryUnavailable, .notDisconnected, nil:
      return error.toolError(at: path)
    }
  }

  private func wait() throws(ToolError) -> [Readiness] {
    let entries = [
      Polling.Entry(interruption.number, .readable), prompt.entry, watch.entry, call.entry,
      answering?.entry ?? .none,
    ]
    do throws(SystemError) { return try Polling.wait(entries, until: nil) } catch { throw .system(error) }
  }

  private mutating func advance(_ ready: [Readiness]) throws(AgentCallError) {
    if let action = prompt.receive(ready[1]) { answering = try PendingAction(action, path: path) }
    if let pending = answering, !ready[4].isEmpty,
      try pending.advance(ready[4], at: try .nowOrError()) != nil
    {
      answering = nil
    }
    if !ready[3].isEmpty { try call.exchange(ready[3]) }
    while result == nil, let reply = try call.receivedReply() {
      do throws(JSONMemberError) {
        let line = JSONObjectReader(reply.parameters)
        if let request = try line.stringIfPresent("request") { self.request = request }
        result = try PairReply(ifAny: line)
      } catch {
        throw .line(error)
      }
    }
    if !ready[2].isEmpty { try watch.exchange(ready[2]) }
    // The request is known before its questions.
    while result == nil, request != nil, let reply = try watch.receivedReply() {
      guard case .request(let line) = try PickerReply(reply), line.request == request else { continue }
      if prompt.update(line), json { try? printer.line(QuestionLine(line)) }
    }
  }

  /// Ends the pairing at the agent, and then the program.
  private mutating func interrupt() throws(ToolError) {
    if let request, var connection = try? GatewayConnection(path: path) {
      try? connection.startCall(OperatorMethodName.cancel) { $0.member("request", request) }
      _ = try? connection.nextReply()
    }
    throw .interrupted(try interruption.nextSignal() ?? .hangUp)
  }
}

/// The last reply to `Pair`.
private struct PairReply {
  let method: PairingMethod
  let isAuthenticated: Bool

  /// nil when the reply has no result yet.
  init?(ifAny line: JSONObjectReader) throws(JSONMemberError) {
    guard let method = try line.valueIfPresent("method", of: PairingMethod.allCases, \.rawValue) else {
      return nil
    }
    self.method = method
    isAuthenticated = try line.bool("isAuthenticated")
  }
}

/// The result: a line of `pair --json`.
private struct PairedLine: Line {
  let accessory: AccessoryLine
  let result: PairReply

  func writeMembers(to json: inout JSONWriter) {
    json.member("accessory", accessory.identifier)
    json.member("app", accessory.app)
    json.member("displayName", accessory.displayName)
    json.member("method", result.method.rawValue)
    json.member("isAuthenticated", result.isAuthenticated)
  }
}

/// A question of a pairing: a line of `pair --json`, and of `pick --app NAME --json`.
struct QuestionLine: Line {
  let request: RequestLine

  init(_ request: RequestLine) { self.request = request }

  func writeMembers(to json: inout JSONWriter) {
    json.member("request", request.request)
    json.member("app", request.app)
    if let name = request.displayName { json.member("displayName", name) }
    if let question = request.question {
      json.member("pairing", question.kind.rawValue)
      if let digits = question.digits { json.member("digits", digits) }
    }
  }
}
