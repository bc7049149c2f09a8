// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import PickerScreen
import ToolSystem
import ToolText

/// Asks the questions of a pairing on standard error, and reads the answers from a terminal line by line. Before the
/// pairing it says what a person should know about pairings on this gateway.
///
/// Without a terminal it names the command that answers. Lines that were typed before a question are dropped.
struct PairingPrompt {
  /// Whether standard input and standard error are a terminal.
  static var hasTerminal: Bool { StandardInput.isTerminal && StandardError.isTerminal }

  /// What a person can do here, for `Watch`.
  static func capabilities(isAnswered: Bool) -> [PairingCapabilityName] {
    isAnswered || hasTerminal ? PairingCapabilityName.allCases : []
  }

  private let isTerminal = Self.hasTerminal
  private var hasEnded = false
  /// The request, and its question that is not answered yet.
  private var open: (request: String, question: PairingQuestionLine, name: String)?
  private var asked: PairingQuestionLine?
  private var printedNote: String?

  /// - Parameter printedNote: The note that was printed already.
  init(printedNote: String? = nil) { self.printedNote = printedNote }

  /// Standard input while a line can come.
  var entry: Polling.Entry { isTerminal && !hasEnded ? Polling.Entry(0, .readable) : .none }

  /// Says and asks what is new in a request. Returns whether there is a new question.
  mutating func update(_ request: RequestLine) -> Bool {
    if let note = request.pairingNote, note != printedNote {
      printedNote = note
      Self.say(note)
    }
    let question = request.phase == .pairing ? request.question : nil
    guard question != asked else { return false }
    asked = question
    open = question.map { (request.request, $0, request.displayName ?? "the accessory") }
    ask()
    return question != nil
  }

  /// Prints what a person should know before a pairing.
  static func say(_ note: String) { StandardError.say(AirText(Array(note.utf8)).sentence(columnsMax: 400)) }

  /// Reads a line when there is one. Returns the answer in it.
  mutating func receive(_ readiness: Readiness) -> PickerAction? {
    guard !readiness.isEmpty, !hasEnded else { return nil }
    guard let line = StandardInput.line() else {
      hasEnded = true
      return nil
    }
    guard let open else { return nil }
    guard let decision = PairingDecision(line, to: open.question.kind) else {
      ask()
      return nil
    }
    self.open = nil
    return .answer(request: open.request, decision)
  }

  private func ask() {
    guard let open else { return }
    let name = shown(open.name)
    let digits = shown(PairingSentences.grouped(open.question.digits ?? ""))
    let hint = isTerminal ? "" : "; answer with accessoryctl answer \(open.request) "
    switch open.question.kind {
    case .compare:
      let sentence = "does \(name) show the digits \(digits)?"
      isTerminal ? StandardError.write("\(sentence) [y/n] ") : StandardError.say("\(sentence)\(hint)yes|no")
    case .enterDigits:
      let sentence = "which six digits does \(name) show?"
      isTerminal ? StandardError.write("\(sentence) ") : StandardError.say("\(sentence)\(hint)DIGITS")
    case .showDigits: StandardError.say("type the digits \(digits) at \(name)")
    }
  }
}

extension PairingDecision {
  /// The answer in a typed line or word; nil when it answers another question, or none.
  init?(_ text: String, to kind: PairingQuestionLine.Kind) {
    switch (Self(text), kind) {
    case (.matches(let isSame)?, .compare): self = .matches(isSame)
    case (.digits(let digits)?, .enterDigits): self = .digits(digits)
    case (_, .compare), (_, .enterDigits), (_, .showDigits): return nil
    }
  }

  /// `yes`, `no` or six digits; nil for any other text.
  init?(_ text: String) {
    switch text.lowercased() {
    case "y", "yes": self = .matches(true)
    case "n", "no": self = .matches(false)
    case let other:
      guard let digits = PairingSentences.digits(typed: other) else { return nil }
      self = .digits(digits)
    }
  }
}

extension GatewayConnection {
  /// Watches the requests, and tells the agent what a person can do here. Waits until the agent has received that, so
  /// that it holds for a pairing that a later call begins.
  static func watchingRequests(
    _ path: String, _ capabilities: [PairingCapabilityName]
  ) throws(AgentCallError) -> GatewayConnection {
    var connection = try GatewayConnection(path: path)
    try connection.startCall(OperatorMethodName.watch) { json in
      if !capabilities.isEmpty { json.member("capabilities", capabilities.map(\.rawValue)) }
    }
    if !capabilities.isEmpty { try connection.waitForReply() }
    return connection
  }
}

extension Polling.Entry {
  /// Nothing to poll: poll(2) passes over it.
  static let none = Polling.Entry(-1, [])
}
