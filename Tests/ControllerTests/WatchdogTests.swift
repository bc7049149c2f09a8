// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import Testing

@Suite("The ladder of remedies")
struct WatchdogTests {
  private func time(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

  @Test("Each rung comes when the one before did not help, and behind the last it waits, longer each time")
  func climbs() {
    var dog = Watchdog(.adapter(hasBoardStep: true))
    for wait in [30_000, 60_000, 120_000] as [Int64] {
      for rung in RecoveryAction.allCases {
        #expect(dog.failed(at: time(0), mayRestart: true) == .climb(rung))
      }
      #expect(dog.failed(at: time(0), mayRestart: true) == .wait(milliseconds: wait))
    }
    #expect(dog.laddersLost == 3)
    #expect(dog.tries[.powerCycle] == 3)
  }

  @Test("What helped is the end of the ladder: the next trouble begins at its foot")
  func recovers() {
    var dog = Watchdog(.adapter(hasBoardStep: false))
    #expect(dog.failed(at: time(0), mayRestart: true) == .climb(.restartScan))
    #expect(dog.failed(at: time(2), mayRestart: false) == .climb(.reset))
    #expect(dog.rung == .reset)
    dog.recovered(at: time(3))
    #expect(dog.rung == nil)
    #expect(dog.failed(at: time(5), mayRestart: true) == .climb(.restartScan))
  }

  @Test("A controller that never came up has no scan to begin anew")
  func skipsTheScan() {
    var dog = Watchdog(.adapter(hasBoardStep: false))
    #expect(dog.failed(at: time(0), mayRestart: false) == .climb(.reset))
  }

  @Test("A ladder ends after a minute, wherever it stands")
  func ends() {
    var dog = Watchdog(.adapter(hasBoardStep: true))
    #expect(dog.failed(at: time(0), mayRestart: true) == .climb(.restartScan))
    #expect(dog.failed(at: time(59), mayRestart: true) == .climb(.reset))
    #expect(dog.failed(at: time(60), mayRestart: true) == .wait(milliseconds: 30_000))
  }

  @Test("Six ladders an hour are enough; then somebody has to look, until one of them is an hour old")
  func exhausts() {
    var dog = Watchdog(.adapter(hasBoardStep: false))
    func fall(at seconds: Int64) -> Watchdog.Remedy {
      while true {
        let remedy = dog.failed(at: time(seconds), mayRestart: false)
        if case .wait = remedy { return remedy }
      }
    }
    for number in 0..<6 {
      #expect(fall(at: Int64(number) * 100) == .wait(milliseconds: min(30_000 << Int64(number), 300_000)))
    }
    #expect(fall(at: 600) == .wait(milliseconds: 300_000))
    #expect(dog.exhaustion == .nothingHelped)
    #expect(dog.laddersLost == 6)
    #expect(dog.failed(at: time(3600), mayRestart: false) == .climb(.reset))
    #expect(dog.exhaustion == nil)
  }

  @Test("What helped does not use up the six of the hour; sixty that helped are too many, too")
  func cures() {
    var dog = Watchdog(.adapter(hasBoardStep: false))
    func fall(at seconds: Int64) {
      while case .climb = dog.failed(at: time(seconds), mayRestart: true) {}
    }
    for number in 0..<5 { fall(at: Int64(number)) }
    for number in 5..<60 {
      #expect(dog.failed(at: time(Int64(number) * 10), mayRestart: true) == .climb(.restartScan))
      dog.recovered(at: time(Int64(number) * 10 + 1))
    }
    #expect(dog.failed(at: time(600), mayRestart: true) == .wait(milliseconds: 300_000))
    #expect(dog.exhaustion == .failsTooOften)
    #expect(dog.laddersLost == 5)
    dog.recovered(at: time(900))
    #expect(dog.exhaustion == nil)
    #expect(dog.failed(at: time(3605), mayRestart: true) == .climb(.restartScan))
  }

  @Test("A controller that is only reached by its commands is brought up anew after 1, 2, 4 … 60 s, for ever")
  func waits() {
    var dog = Watchdog(.commands)
    var waits: [Int64] = []
    for second in 0..<8 {
      if case .wait(let milliseconds) = dog.failed(at: time(Int64(second)), mayRestart: true) {
        waits.append(milliseconds / 1000)
      }
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
    dog.scans(at: time(100))
    #expect(dog.failed(at: time(160), mayRestart: true) == .wait(milliseconds: 1000))
  }
}
