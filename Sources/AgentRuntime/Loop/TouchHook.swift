// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem
import Manifest
import Setup

/// Runs the gateway's program for touches in the loop: starts, watches, kills and reaps it.
struct TouchHook {
  var program: TouchProgram
  /// The token of the running program's descriptor.
  private(set) var token: UInt64?

  init(path: String?, start: @escaping LoopDependencies.ProgramStart) {
    program = TouchProgram(path: path, account: .unprivileged(), start: start)
  }

  mutating func signalTouch(_ signal: TouchSignal, _ loop: inout LoopContext) {
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
    let token = loop.insert(.touch)
    self.token = token
    do throws(SystemError) {
      loop.counters.watchCalls &+= 1
      try loop.epoll.add(running.descriptor, .readable, token: token)
    } catch {
      // The loop would not learn of its end.
      loop.log.say(
        .warning, "the program for touches cannot be watched and was not run: \(error.sentence)")
      removeToken(&loop)
      program.abandon()
    }
  }

  /// Handles the end of the program, and starts it for the next signal.
  mutating func receiveEnd(_ loop: inout LoopContext) {
    guard let outcome = program.takeEnd() else { return }
    removeToken(&loop)
    logOutcome(outcome, &loop)
    startPrograms(&loop)
  }

  private mutating func removeToken(_ loop: inout LoopContext) {
    guard let token = token.take() else { return }
    loop.registry.remove(token)
  }

  private func logOutcome(_ outcome: TouchProgram.Outcome?, _ loop: inout LoopContext) {
    loop.counters.touchSignals = program.counters
    guard let sentence = outcome?.sentence else { return }
    let name = quoted(program.path ?? "")
    loop.say(.warning, "the program for touches \(name) \(sentence)", limitedAs: .touchProgram)
  }
}
