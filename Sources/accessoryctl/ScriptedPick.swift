// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import PickerScreen
import ToolText
import Varlink

/// A request on an app's behalf that needs nobody at a screen: each accessory that was set up is a line; what goes
/// otherwise than wished is said on standard error.
struct ScriptedPick: ~Copyable {
  private let path: String
  private let name: String?
  private let json: Bool
  private let awaited: String
  private let interruption: Interruption
  private var printer = Printer()
  private let opened: OpenedRequest
  /// Tells what goes otherwise than wished, and when a name is waited for.
  private var watch: GatewayConnection
  private var naming: PickerAct?
  private var wasNamed = false
  private var saidDetail: String?
  /// So many accessories were printed.
  private var saidCount = 0

  init(path: String, app: String, _ options: PickOptions, json: Bool) throws(Failure) {
    let interruption = try Interruption()
    do throws(GatewayProblem) {
      let opened = try OpenedRequest(path: path, app: app, options)
      let watch = try Self.watch(path)
      self.path = path
      self.json = json
      name = options.name
      awaited = options.awaited
      self.interruption = interruption
      self.opened = opened
      self.watch = watch
    } catch {
      throw error.failure(at: path)
    }
  }

  private static func watch(_ path: String) throws(GatewayProblem) -> GatewayConnection {
    var connection = try GatewayConnection(path: path)
    try connection.begin(OperatorMethodName.watch)
    return connection
  }

  /// Until so many were set up as are wanted, the request ends, or the last reader ends it. A signal ends the program, what
  /// was set up before being said.
  mutating func run() throws(Failure) {
    // What came with the first answer is here already.
    try advance([])
    if !opened.isOver, StandardError.isTerminal { StandardError.say("\(awaited); Ctrl-C ends this") }
    while !opened.isOver, try printer.flush(interruption), let ready = try wait() { try advance(ready) }
    _ = try printer.flush(interruption)
    if let signal = try interruption.taken() { throw .interrupted(signal) }
    if opened.accessories.isEmpty { throw .said(.no) }
  }

  /// What each connection is ready for; nil when a signal or the last reader ends it.
  private mutating func wait() throws(Failure) -> ArraySlice<Readiness>? {
    let own = interruption.entries()
    let others = [opened.entry, watch.entry] + [naming?.entry].compactMap(\.self)
    let ready: [Readiness]
    do throws(SystemError) { ready = try Polling.wait(own + others, until: nil) } catch {
      throw .system(error)
    }
    return ready[0].isEmpty && !ready[1].contains(.hungUp) ? ready[own.count...] : nil
  }

  private mutating func advance(_ ready: ArraySlice<Readiness>) throws(Failure) {
    var problem: GatewayProblem?
    do throws(GatewayProblem) { try take(ready) } catch { problem = error }
    for accessory in opened.accessories[saidCount...] {
      if json { try printer.line(accessory) } else { try printer.text(accessory.text) }
    }
    saidCount = opened.accessories.count
    guard let problem else { return }
    _ = try printer.flush(interruption)
    throw problem.failure(at: path)
  }

  private mutating func take(_ ready: ArraySlice<Readiness>) throws(GatewayProblem) {
    var ready = ready
    let openedReadiness = ready.popFirst() ?? []
    try advanceWatch(ready)
    try opened.advance(openedReadiness)
    guard let name, !wasNamed, !opened.accessories.isEmpty else { return }
    wasNamed = true
    try opened.nameFirst(name, path: path)
  }

  /// Where the agent waits for a name it is given.
  private mutating func advanceWatch(_ ready: ArraySlice<Readiness>) throws(GatewayProblem) {
    var ready = ready
    let readiness = ready.popFirst() ?? []
    if !readiness.isEmpty { try watch.exchange(readiness) }
    while let reply = try watch.taken() {
      if case .request(let request) = try PickerReply(reply) { try take(request) }
    }
    if let naming, try naming.advance(ready.popFirst() ?? [], at: try .nowOrProblem()) != nil {
      self.naming = nil
      wasNamed = true
    }
  }

  private mutating func take(_ request: RequestLine) throws(GatewayProblem) {
    guard request.request == opened.request else { return }
    if let detail = request.detail, detail != saidDetail { StandardError.say(shown(detail)) }
    saidDetail = request.detail
    guard request.phase == .naming, naming == nil, !wasNamed, let name else { return }
    naming = try PickerAct(.name(request: request.request, name: name), path: path)
  }
}

extension MonotonicInstant {
  fileprivate static func nowOrProblem() throws(GatewayProblem) -> MonotonicInstant {
    do throws(SystemError) { return try now() } catch { throw .system(error) }
  }
}
