// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Manifest
import Setup

/// A program that the manifest names for signals: run once for each signal, one after the other.
///
/// Its arguments are its path and the signal's. Capacity: one program runs, and `waitingMaxPerApp` signals of each app
/// wait; further signals are dropped and counted. A program that takes longer than `patienceMilliseconds` is killed with
/// all processes it started.
struct SignalProgram {
  static let waitingMaxPerApp = 4
  static let patienceMilliseconds: Int64 = 5000

  /// The result of a signal.
  enum Outcome: Equatable {
    case ended(ConfinedProgram.Ending)
    case overdue
    case dropped
  }

  /// The program's path; nil runs nothing.
  var path: String?
  /// The program that runs.
  private(set) var running: ConfinedProgram?
  /// The time when the program is killed; nil once it was.
  private(set) var deadline: Instant?
  private(set) var counters = SignalProgramCounters()
  private let account: ConfinedProgram.Account
  private let start: LoopDependencies.ProgramStart
  private var waiting: [GatewaySignal] = []
  private var isOverdue = false

  var isWaiting: Bool { !waiting.isEmpty }

  init(
    path: String?, account: ConfinedProgram.Account,
    start: @escaping LoopDependencies.ProgramStart = LoopDependencies.confined
  ) {
    (self.path, self.account, self.start) = (path, account, start)
  }

  /// Queues a signal. Returns ``Outcome/dropped`` if as many of its app wait as may, else nil.
  mutating func add(_ signal: GatewaySignal) -> Outcome? {
    guard path != nil else { return nil }
    guard waiting.count(where: { $0.app == signal.app }) < Self.waitingMaxPerApp else {
      return count(.dropped)
    }
    waiting.append(signal)
    return nil
  }

  /// Runs the program for the oldest signal, unless one runs. Returns why the program could not be run, or nil.
  mutating func startNext(at now: Instant) -> Outcome? {
    guard running == nil, !waiting.isEmpty else { return nil }
    let signal = waiting.removeFirst()
    // A new manifest may name no program.
    guard let path else { return count(.dropped) }
    do throws(SystemError) {
      running = try start([path] + signal.arguments, account)
      deadline = now.advanced(milliseconds: Self.patienceMilliseconds)
      return nil
    } catch {
      return count(.ended(.notRun(error)))
    }
  }

  /// Kills the program if it has run for too long.
  mutating func advance(to now: Instant) {
    guard let deadline, deadline <= now else { return }
    self.deadline = nil
    isOverdue = true
    running?.kill()
  }

  /// Returns how the program ended; nil while it runs.
  mutating func takeEnd() -> Outcome? {
    let ending: ConfinedProgram.Ending?
    do throws(SystemError) { ending = try running?.end() } catch { ending = .notRun(error) }
    guard let ending else { return nil }
    defer { (running, deadline, isOverdue) = (nil, nil, false) }
    return count(isOverdue ? .overdue : .ended(ending))
  }

  /// Kills the program because the loop cannot watch it.
  mutating func abandon() {
    (running, deadline, isOverdue) = (nil, nil, false)
    counters.notRun &+= 1
  }

  /// Kills the program and drops the signals that wait: the agent ends.
  mutating func stop() {
    waiting = []
    (running, deadline) = (nil, nil)
  }

  private mutating func count(_ outcome: Outcome) -> Outcome {
    switch outcome {
    case .ended(.exited(status: 0)): counters.done &+= 1
    case .ended(.exited), .ended(.killed): counters.failed &+= 1
    case .ended(.notRun): counters.notRun &+= 1
    case .overdue: counters.overdue &+= 1
    case .dropped: counters.dropped &+= 1
    }
    return outcome
  }
}

extension SignalProgram.Outcome {
  /// The error of a program and its cure; nil on success.
  func sentence(of kind: SignalProgramKind) -> String? {
    switch self {
    case .ended(.exited(status: 0)): nil
    case .ended(.exited(let status)):
      "ended with status \(status); run it by hand as the user \"nobody\" to see why"
    case .ended(.killed(let signal)):
      "was ended by signal \(signal); it may write no files, use 5 s of processor time and open 16 descriptors"
    case .overdue: "took longer than 5 s and was killed; let it leave slow work to a service of its own"
    case .ended(.notRun(let error)) where error.isMissing:
      "cannot be run: there is no such program; correct \(kind.rawValue) in the manifest"
    case .ended(.notRun(let error)) where error.isPermission:
      "cannot be run: \(error.sentence); the user \"nobody\" must be able to run it"
    case .ended(.notRun(let error)): "cannot be run: \(error.sentence)"
    case .dropped:
      "was not run for a \(kind.noun): \(SignalProgram.waitingMaxPerApp) others of the app wait for it already"
    }
  }
}

extension SignalProgramKind {
  /// What the program signals.
  var noun: String {
    switch self {
    case .touch: "touch"
    case .request: "request"
    }
  }
}

/// The gateway's programs for signals, each of which runs beside the other.
struct SignalHooks {
  var touch: SignalHook
  var request: SignalHook

  init(_ gateway: Gateway, start: @escaping LoopDependencies.ProgramStart) {
    touch = SignalHook(.touch, of: gateway, start: start)
    request = SignalHook(.request, of: gateway, start: start)
  }

  subscript(kind: SignalProgramKind) -> SignalHook {
    get {
      switch kind {
      case .touch: touch
      case .request: request
      }
    }
    set {
      switch kind {
      case .touch: touch = newValue
      case .request: request = newValue
      }
    }
  }

  /// Calls `body` with each program, in place: it is done in every turn.
  @inline(__always)
  mutating func forEachProgram(_ body: (SignalProgramKind, inout SignalProgram) -> Void) {
    body(.touch, &touch.program)
    body(.request, &request.program)
  }
}

/// Runs one of the gateway's programs in the loop: starts, watches, kills and reaps it.
struct SignalHook {
  private let kind: SignalProgramKind
  var program: SignalProgram
  /// The token of the running program's descriptor.
  private(set) var token: UInt64?

  init(_ kind: SignalProgramKind, of gateway: Gateway, start: @escaping LoopDependencies.ProgramStart) {
    self.kind = kind
    program = SignalProgram(path: gateway.programs[kind], account: .unprivileged(), start: start)
  }

  mutating func add(_ signal: GatewaySignal, _ loop: inout LoopContext) {
    logOutcome(program.add(signal), &loop)
    startPrograms(&loop)
  }

  /// Starts the program for the next signal, and for the one after it if that fails.
  private mutating func startPrograms(_ loop: inout LoopContext) {
    while program.running == nil, program.isWaiting {
      logOutcome(program.startNext(at: loop.now), &loop)
      watchProgram(&loop)
    }
  }

  private mutating func watchProgram(_ loop: inout LoopContext) {
    guard let running = program.running else { return }
    do throws(SystemError) { token = try loop.watch(running.descriptor, as: .program(kind)) } catch {
      // The loop would not learn of its end.
      loop.log.say(
        .warning, "the program \(kind.rawValue) cannot be watched and was not run: \(error.sentence)")
      program.abandon()
    }
  }

  /// Handles the end of the program, and starts it for the next signal.
  mutating func receiveEnd(_ loop: inout LoopContext) {
    guard let outcome = program.takeEnd() else { return }
    if let token = token.take() { loop.registry.remove(token) }
    logOutcome(outcome, &loop)
    startPrograms(&loop)
  }

  private func logOutcome(_ outcome: SignalProgram.Outcome?, _ loop: inout LoopContext) {
    loop.counters.programs[kind] = program.counters
    guard let sentence = outcome?.sentence(of: kind) else { return }
    let name = quoted(program.path ?? "")
    loop.say(
      .warning, "the program \(kind.rawValue) \(name) \(sentence)",
      limitedAs: kind == .touch ? .touchProgram : .requestProgram)
  }
}
