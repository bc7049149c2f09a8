// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import LinuxSystem
import PickerScreen
import ToolText

/// The candidate of an open request as the operator names it.
enum ChosenCandidate: ExpressibleByArgument {
  case number(UInt32)
  case device(DeviceArgument)
  case network(NamedNetwork)

  init?(argument: String) {
    if let device = DeviceArgument(argument: argument) {
      self = .device(device)
    } else if let number = UInt32(argument) {
      self = .number(number)
    } else {
      guard let network = NamedNetwork(argument: argument) else { return nil }
      self = .network(network)
    }
  }

  func matches(_ candidate: CandidateLine) -> Bool {
    switch self {
    case .number(let number): candidate.candidate == number
    case .device(let device): candidate.address?.bits == device.bits
    case .network(let network): candidate.ssid == network.ssid
    }
  }

  /// For messages to the operator.
  var text: String {
    switch self {
    case .number(let number): "candidate \(number)"
    case .device(let device): device.text
    case .network(let network): "the network \(network.text)"
    }
  }
}

/// An answer to an open request that takes no value.
enum RequestDecision: String, EnumerableFlag {
  case agree, deny, cancel

  static func help(for value: Self) -> ArgumentHelp? {
    switch value {
    case .agree: "With --request: agree to what the app asks for."
    case .deny: "With --request: deny it."
    case .cancel: "With --request: end it without a choice."
    }
  }
}

/// The answer to an open request, as the operator gives it.
enum RequestAnswer {
  case choose(ChosenCandidate, name: String?)
  case name(String)
  case decide(RequestDecision)

  fileprivate var option: String {
    switch self {
    case .choose: "--choose"
    case .name: "--name"
    case .decide(let decision): "--\(decision.rawValue)"
    }
  }
}

extension RequestKind {
  /// The options that answer it.
  fileprivate var options: [String] {
    let own =
      switch self {
      case .setup: ["--choose", "--name"]
      case .rename: ["--name"]
      case .authorize, .migrate: ["--agree"]
      case .pair: [String]()
      }
    return own + ["--deny", "--cancel"]
  }
}

extension DiscoveryTimeout {
  /// nil without an end.
  fileprivate var waitSeconds: Int? {
    switch self {
    case .short: 60
    case .medium: 120
    case .long: 300
    case .seconds(let seconds): Int(seconds)
    case .unbounded: nil
    }
  }
}

/// The answer to an open request without a screen. It chooses a candidate as soon as it is there, and prints a line for
/// the accessory that was set up. Any other answer is sent at once, and nothing is printed.
struct ScriptedAnswer: ~Copyable {
  private let path: String
  private let named: String
  private let decided: RequestAnswer
  /// How long it waits for the candidate; nil for as long as the request is open.
  private let waitSeconds: Int?
  private let deadline: MonotonicInstant?
  private let json: Bool
  private let interruption: Interruption
  private var printer = Printer()
  private var watch: GatewayConnection
  private var requests: [RequestLine] = []
  private var candidates: [(request: String, line: CandidateLine)] = []
  /// The request that is answered; nil until all that are open are known.
  private var request: RequestLine?
  /// The answer on its way to the agent.
  private var sending: PendingAction?
  private var prompt = PairingPrompt()
  private var answering: PendingAction?

  init(
    _ gateway: GatewayOptions, request: String, _ decided: RequestAnswer, _ options: PickOptions, json: Bool
  ) throws(ToolError) {
    let path = gateway.path
    let interruption = try Interruption()
    do throws(AgentCallError) {
      let now = try MonotonicInstant.nowOrError()
      let watch = try GatewayConnection.watchingRequests(
        path, PairingPrompt.capabilities(isAnswered: options.digits))
      self.path = path
      named = request
      self.decided = decided
      waitSeconds = options.timeout.flatMap(DiscoveryTimeout.init(text:))?.waitSeconds
      deadline = waitSeconds.map { now.advanced(seconds: $0) }
      self.json = json
      self.interruption = interruption
      self.watch = watch
    } catch {
      throw error.toolError(at: path)
    }
  }

  /// Runs until the agent has the answer, or the accessory is set up or is not. A signal ends the program; a setup that has begun goes on.
  mutating func run() throws(ToolError) {
    while try printer.flush(interruption) {
      let own = interruption.entries()
      let others = [watch.entry, prompt.entry] + [sending?.entry, answering?.entry].map { $0 ?? .none }
      let ready: [Readiness]
      let end = sending == nil ? deadline : nil
      do throws(SystemError) { ready = try Polling.wait(own + others, until: end) } catch {
        throw .system(error)
      }
      // The reader has gone.
      if ready[1].contains(.hungUp) { return }
      if let signal = try interruption.nextSignal() { throw .interrupted(signal) }
      if let answer = try advance(Array(ready[own.count...])) {
        if case .chosen(let setup) = answer { try print(setup) }
        return
      }
    }
  }

  /// Returns the agent's reply to the answer.
  private mutating func advance(_ ready: [Readiness]) throws(ToolError) -> PickerAnswer? {
    let now: MonotonicInstant
    do throws(AgentCallError) {
      now = try MonotonicInstant.nowOrError()
      if let reply = try sending?.advance(ready[2], at: now) { return reply }
      if let action = prompt.receive(ready[1]) { answering = try PendingAction(action, path: path) }
      if try answering?.advance(ready[3], at: now) != nil { answering = nil }
      if !ready[0].isEmpty { try watch.exchange(ready[0]) }
    } catch {
      throw error.toolError(at: path)
    }
    while let reply = try nextReply() { try receive(reply) }
    try send()
    if sending == nil, let deadline, let waitSeconds, now >= deadline {
      throw .sentence(
        "\(awaited) was not there within \(waitSeconds) s; the request is still open", .no)
    }
    return nil
  }

  private mutating func nextReply() throws(ToolError) -> PickerReply? {
    do throws(AgentCallError) {
      guard let reply = try watch.receivedReply() else { return nil }
      return try PickerReply(reply)
    } catch {
      throw error.toolError(at: path)
    }
  }

  private mutating func receive(_ reply: PickerReply) throws(ToolError) {
    switch reply {
    case .request(let line):
      if let request, request.request != line.request { return }
      requests.removeAll { $0.request == line.request }
      requests.append(line)
      guard line.request == request?.request else { return }
      if prompt.update(line), json { try printer.line(QuestionLine(line)) }
      try answerName(line)
    case .candidate(let line, let request):
      candidates.removeAll { $0.request == request && $0.line.candidate == line.candidate }
      candidates.append((request, line))
    case .gone(let number, let request):
      candidates.removeAll { $0.request == request && $0.line.candidate == number }
    case .closed(let request, let ending):
      // The reply to the choice says more.
      guard request == self.request?.request, sending == nil else { return }
      let reason = ending.reason.map { ": \(AirText(Array($0.utf8)).sentence(columnsMax: 400))" } ?? ""
      throw .sentence("the request ended before \(awaited) could be chosen\(reason)", .no)
    case .synced: try findRequest()
    }
  }

  /// Finds the request that is meant among those that are open.
  private mutating func findRequest() throws(ToolError) {
    let meant = requests.filter { $0.request.hasPrefix(named.lowercased()) }
    guard let found = meant.first else {
      let known = requests.map { String($0.request.prefix(8)) }
      throw .unknown(named, "no open request begins with \(quoted(named))", known: known)
    }
    guard meant.count == 1 else {
      throw .sentence(
        "\(meant.count) open requests begin with \(quoted(named)); give more of the identifier", .usage)
    }
    let options = found.kind.options
    guard options.contains(decided.option) else {
      throw .sentence(
        "\(decided.option) does not fit the request: it is to \(found.kind.rawValue), and takes "
          + "\(options.dropLast().joined(separator: ", ")) or \(options.last ?? "")", .no)
    }
    request = found
    guard case .choose(let choice, _) = decided, candidate(choice) == nil else { return }
    if case .number(let number) = choice {
      let known = candidates.filter { $0.request == found.request }.map { "\($0.line.candidate)" }
      throw .unknown("\(number)", "the request has no candidate \(number)", known: known)
    }
    StandardError.say("waiting for \(choice.text), which is no candidate of the request now")
  }

  private func candidate(_ choice: ChosenCandidate) -> CandidateLine? {
    candidates.first { $0.request == request?.request && choice.matches($0.line) }?.line
  }

  /// What it waits for, for messages to the operator.
  private var awaited: String {
    if case .choose(let choice, _) = decided { choice.text } else { "it" }
  }

  /// Sends the answer; a choice once its candidate is there.
  private mutating func send() throws(ToolError) {
    guard let id = request?.request, sending == nil else { return }
    let action: PickerAction
    switch decided {
    case .choose(let choice, let name):
      guard let number = candidate(choice)?.candidate else { return }
      action = .choose(request: id, candidate: number, name: name, ssid: nil)
    case .name(let name): action = .name(request: id, name: name)
    case .decide(.agree): action = .agree(request: id)
    case .decide(.deny): action = .deny(request: id)
    case .decide(.cancel): action = .cancel(request: id)
    }
    do throws(AgentCallError) { sending = try PendingAction(action, path: path) } catch {
      throw error.toolError(at: path)
    }
  }

  /// A choice without a name takes the proposed one at once: no operator is at a screen.
  private mutating func answerName(_ line: RequestLine) throws(ToolError) {
    guard line.phase == .naming, case .choose(_, nil) = decided, answering == nil, let name = line.displayName
    else {
      return
    }
    do throws(AgentCallError) {
      answering = try PendingAction(.name(request: line.request, name: name), path: path)
    } catch {
      throw error.toolError(at: path)
    }
  }

  private mutating func print(_ setup: SetupReply) throws(ToolError) {
    let accessory = PickedAccessory(
      app: request?.app ?? "", identifier: setup.accessory, displayName: setup.displayName,
      pairing: setup.pairing, isBondAuthenticated: setup.isBondAuthenticated)
    if json { try printer.line(accessory) } else { try printer.text(accessory.text) }
    if setup.awaitsApp { StandardError.say("\(shown(accessory.app)) has two minutes to confirm it") }
    try printer.flush()
  }
}
