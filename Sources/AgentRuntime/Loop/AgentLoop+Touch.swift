// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Setup

// The gateway's program for touches: begun, watched, killed, waited for.

extension AgentLoop {
  mutating func signal(_ signal: TouchSignal) {
    tell(of: touch.add(signal))
    beginTouch()
  }

  /// Runs what waits, as long as it cannot be run or nothing runs.
  private mutating func beginTouch() {
    while touch.running == nil, touch.isWaiting {
      tell(of: touch.begin(at: now))
      watchTouch()
    }
  }

  private mutating func watchTouch() {
    guard let program = touch.running else { return }
    guard let token = watches.insert(.touch) else { preconditionFailure("there is a place for the program") }
    touchToken = token
    do throws(SystemError) {
      counters.watchCalls &+= 1
      try epoll.add(program.descriptor, .readable, token: token)
    } catch {
      // Nobody would learn of its end.
      log.say(.warning, "the program for touches cannot be watched, and is not run: \(error.sentence)")
      releaseTouch()
      touch.abandon()
    }
  }

  /// It has ended.
  mutating func takeTouchEnd() {
    guard let outcome = touch.takeEnd() else { return }
    releaseTouch()
    tell(of: outcome)
    beginTouch()
  }

  private mutating func releaseTouch() {
    guard let token = touchToken.take() else { return }
    watches.remove(token)
  }

  private mutating func tell(of outcome: TouchProgram.Outcome?) {
    counters.touchSignals = touch.counters
    guard let sentence = outcome?.sentence else { return }
    let name = quoted(touch.path ?? "")
    say(.warning, "the program for touches \(name) \(sentence)", limitedAs: .touchProgram)
  }
}
