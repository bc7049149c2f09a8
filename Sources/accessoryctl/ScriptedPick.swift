// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import PickerScreen
import ToolText
import Varlink

/// A request on an app's behalf without a screen. Prints a line for each accessory that was set up; setbacks go to
/// standard error.
struct ScriptedPick: ~Copyable {
  private let path: String
  private let name: String?
  private let json: Bool
  private let awaited: String
  private let interruption: Interruption
  private var printer = Printer()
  private let opened: OpenedRequest
  /// Reports setbacks, and when the agent waits for a name.
  private var watch: GatewayConnection
  private var naming: PendingAction?
  private var prompt = PairingPrompt()
  private var answering: PendingAction?
  /// The question that is to be printed as a line.
  private var question: QuestionLine?
  private var wasNamed = false
  private var printedDetail: String?
  /// The kinds of hindrances that were printed: each is printed once.
  private var printedHindrances: Set<String> = []
  private var progress: RequestProgress
  /// How many accessories were printed.
  private var printedCount = 0

  init(_ gateway: GatewayOptions, _ opening: RequestOpening, json: Bool) throws(ToolError) {
    let path = gateway.path
    let interruption = try Interruption()
    do throws(AgentCallError) {
      let watch = try GatewayConnection.watchingRequests(
        path, PairingPrompt.capabilities(isAnswered: opening.isAnswered))
      let opened = try OpenedRequest(path: path, opening)
      self.path = path
      self.json = json
      name = opening.name
      awaited = opening.awaited
      progress = RequestProgress(gateway, app: opening.app, items: opening.items, network: opening.network)
      self.interruption = interruption
      self.opened = opened
      self.watch = watch
    } catch {
      throw error.toolError(at: path)
    }
  }

  /// Runs until the request ends, or the reader goes. A signal ends the program after the accessories are printed.
  mutating func run() throws(ToolError) {
    // More replies may have come with the first one.
    try advance([])
    if !opened.isOver, StandardError.isTerminal { StandardError.say("\(awaited); Ctrl-C ends this") }
    defer { progress.clear() }
    while !opened.isOver, try printer.flush(interruption), let ready = try wait() { try advance(ready) }
    _ = try printer.flush(interruption)
    if let signal = try interruption.nextSignal() { throw .interrupted(signal) }
    if opened.accessories.isEmpty { throw .reported(.no) }
  }

  /// Waits, and returns what each connection is ready for; nil after a signal, or when the reader has gone.
  private mutating func wait() throws(ToolError) -> ArraySlice<Readiness>? {
    let own = interruption.entries()
    let others =
      [opened.entry, watch.entry, prompt.entry] + [naming?.entry, answering?.entry].map { $0 ?? .none }
    var ready: [Readiness] = []
    do throws(SystemError) {
      while ready.allSatisfy(\.isEmpty) { ready = try Polling.wait(own + others, until: progress.show()) }
    } catch {
      throw .system(error)
    }
    return ready[0].isEmpty && !ready[1].contains(.hungUp) ? ready[own.count...] : nil
  }

  private mutating func advance(_ ready: ArraySlice<Readiness>) throws(ToolError) {
    if !ready.allSatisfy(\.isEmpty) { progress.clear() }
    var callError: AgentCallError?
    do throws(AgentCallError) { try advanceConnections(ready) } catch { callError = error }
    if let question, json { try printer.line(question) }
    question = nil
    for accessory in opened.accessories[printedCount...] {
      if json { try printer.line(accessory) } else { try printer.text(accessory.text) }
    }
    printedCount = opened.accessories.count
    guard let callError else { return }
    _ = try printer.flush(interruption)
    throw callError.toolError(at: path)
  }

  private mutating func advanceConnections(_ ready: ArraySlice<Readiness>) throws(AgentCallError) {
    var ready = ready
    let openedReadiness = ready.popFirst() ?? []
    try advanceWatch(ready)
    try opened.advance(openedReadiness)
    guard let name, !wasNamed, !opened.accessories.isEmpty else { return }
    wasNamed = true
    try opened.nameFirst(name, path: path)
  }

  /// Reads the watch, and gives the name when the agent waits for it.
  private mutating func advanceWatch(_ ready: ArraySlice<Readiness>) throws(AgentCallError) {
    var ready = ready
    let readiness = ready.popFirst() ?? []
    if !readiness.isEmpty { try watch.exchange(readiness) }
    while let reply = try watch.receivedReply() {
      if case .request(let request) = try PickerReply(reply) { try update(request) }
    }
    if let action = prompt.receive(ready.popFirst() ?? []) {
      answering = try PendingAction(action, path: path)
    }
    let namingReadiness = ready.popFirst() ?? []
    if let naming, try naming.advance(namingReadiness, at: try .nowOrError()) != nil {
      self.naming = nil
      wasNamed = true
    }
    let answeringReadiness = ready.popFirst() ?? []
    if let answering, try answering.advance(answeringReadiness, at: try .nowOrError()) != nil {
      self.answering = nil
    }
  }

  private mutating func update(_ request: RequestLine) throws(AgentCallError) {
    guard request.request == opened.request else { return }
    let left = request.end.map { $0.microseconds - request.since.microseconds }
    progress.end = left.map { opened.start.advanced(nanoseconds: $0 * 1000) }
    if let detail = request.detail, detail != printedDetail { StandardError.say(shown(detail)) }
    printedDetail = request.detail
    let notes = request.itemNotes.map { (kind: $0, sentence: $0) }
    for hindrance in notes + request.hindrances where printedHindrances.insert(hindrance.kind).inserted {
      StandardError.say(AirText(Array(hindrance.sentence.utf8)).sentence(columnsMax: 400))
    }
    if prompt.update(request) { question = QuestionLine(request) }
    guard request.phase == .naming, naming == nil, !wasNamed, let name else { return }
    naming = try PendingAction(.name(request: request.request, name: name), path: path)
  }
}

extension MonotonicInstant {
  static func nowOrError() throws(AgentCallError) -> MonotonicInstant {
    do throws(SystemError) { return try now() } catch { throw .system(error) }
  }
}
