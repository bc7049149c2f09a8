// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import Testing

@Suite("The escalation of recovery actions")
struct WatchdogTests {
  private func time(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

  @Test(
    "Each action follows when the one before did not help; after the last the watchdog waits, longer each time"
  )
  func escalates() {
    var watchdog = Watchdog(.adapter(hasBoardStep: true))
    for wait in [30_000, 60_000, 120_000] as [Int64] {
      for action in RecoveryAction.allCases {
        #expect(watchdog.failed(at: time(0), mayRestart: true) == .perform(action))
      }
      #expect(watchdog.failed(at: time(0), mayRestart: true) == .wait(milliseconds: wait))
    }
    #expect(watchdog.escalationsFailed == 3)
    #expect(watchdog.tries[.powerCycle] == 3)
  }

  @Test("An action that helps ends the escalation: the next failure starts with the first action")
  func recovers() {
    var watchdog = Watchdog(.adapter(hasBoardStep: false))
    #expect(watchdog.failed(at: time(0), mayRestart: true) == .perform(.restartScan))
    #expect(watchdog.failed(at: time(2), mayRestart: false) == .perform(.reset))
    #expect(watchdog.action == .reset)
    watchdog.recovered(at: time(3))
    #expect(watchdog.action == nil)
    #expect(watchdog.failed(at: time(5), mayRestart: true) == .perform(.restartScan))
  }

  @Test("A controller that was never initialized has no scan to restart")
  func skipsTheScan() {
    var watchdog = Watchdog(.adapter(hasBoardStep: false))
    #expect(watchdog.failed(at: time(0), mayRestart: false) == .perform(.reset))
  }

  @Test("An escalation ends after a minute, whatever its action")
  func ends() {
    var watchdog = Watchdog(.adapter(hasBoardStep: true))
    #expect(watchdog.failed(at: time(0), mayRestart: true) == .perform(.restartScan))
    #expect(watchdog.failed(at: time(59), mayRestart: true) == .perform(.reset))
    #expect(watchdog.failed(at: time(60), mayRestart: true) == .wait(milliseconds: 30_000))
  }

  @Test("After six failed escalations in an hour none begins until one of them is an hour old")
  func exhausts() {
    var watchdog = Watchdog(.adapter(hasBoardStep: false))
    func failUntilWait(at seconds: Int64) -> Watchdog.Remedy {
      while true {
        let remedy = watchdog.failed(at: time(seconds), mayRestart: false)
        if case .wait = remedy { return remedy }
      }
    }
    for number in 0..<6 {
      #expect(
        failUntilWait(at: Int64(number) * 100) == .wait(milliseconds: min(30_000 << Int64(number), 300_000)))
    }
    #expect(failUntilWait(at: 600) == .wait(milliseconds: 300_000))
    #expect(watchdog.exhaustion == .nothingHelped)
    #expect(watchdog.escalationsFailed == 6)
    #expect(watchdog.failed(at: time(3600), mayRestart: false) == .perform(.reset))
    #expect(watchdog.exhaustion == nil)
  }

  @Test("Escalations that helped do not count among the six; after sixty that helped none begins either")
  func countsSuccesses() {
    var watchdog = Watchdog(.adapter(hasBoardStep: false))
    func failUntilWait(at seconds: Int64) {
      while case .perform = watchdog.failed(at: time(seconds), mayRestart: true) {}
    }
    for number in 0..<5 { failUntilWait(at: Int64(number)) }
    for number in 5..<60 {
      #expect(watchdog.failed(at: time(Int64(number) * 10), mayRestart: true) == .perform(.restartScan))
      watchdog.recovered(at: time(Int64(number) * 10 + 1))
    }
    #expect(watchdog.failed(at: time(600), mayRestart: true) == .wait(milliseconds: 300_000))
    #expect(watchdog.exhaustion == .failsTooOften)
    #expect(watchdog.escalationsFailed == 5)
    watchdog.recovered(at: time(900))
    #expect(watchdog.exhaustion == nil)
    #expect(watchdog.failed(at: time(3605), mayRestart: true) == .perform(.restartScan))
  }

  @Test(
    "A controller that is reached only by its commands is initialized again after 1, 2, 4 … 60 s, for ever")
  func waits() {
    var watchdog = Watchdog(.commands)
    var waits: [Int64] = []
    for second in 0..<8 {
      if case .wait(let milliseconds) = watchdog.failed(at: time(Int64(second)), mayRestart: true) {
        waits.append(milliseconds / 1000)
      }
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
    watchdog.scans(at: time(100))
    #expect(watchdog.failed(at: time(160), mayRestart: true) == .wait(milliseconds: 1000))
  }

  @Test(
    "A scan of a minute ends the waits, whatever ends it, and a shorter one does not", arguments: [59, 60])
  func forgets(seconds: Int64) {
    var watchdog = Watchdog(.commands)
    for second in 0..<5 { _ = watchdog.failed(at: time(Int64(second)), mayRestart: true) }
    watchdog.scans(at: time(100))
    watchdog.stopped(at: time(100 + seconds))
    let wait: Int64 = seconds < 60 ? 32_000 : 1000
    #expect(watchdog.failed(at: time(500), mayRestart: false) == .wait(milliseconds: wait))
  }

  @Test("Escalations that did not help are forgotten after a scan of a minute")
  func forgetsEscalations() {
    var watchdog = Watchdog(.adapter(hasBoardStep: false))
    for number in 0..<7 {
      while case .perform = watchdog.failed(at: time(Int64(number) * 100), mayRestart: false) {}
    }
    #expect(watchdog.exhaustion == .nothingHelped)
    watchdog.scans(at: time(800))
    watchdog.recovered(at: time(801))
    #expect(watchdog.failed(at: time(860), mayRestart: true) == .perform(.restartScan))
    #expect(watchdog.exhaustion == nil)
  }
}
