// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Manifest
import Setup

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
