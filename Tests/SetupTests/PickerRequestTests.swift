// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
@testable import Setup
import Testing

@Suite("A picker")
struct PickerRequestTests {
  @Test("It presents itself, shows what is found, is chosen from, and ends well")
  func story() {
    let bench = PickerBench()
    #expect(bench.takeEvents() == [.didPresent])
    #expect(bench.flow.state == .discovering)
    bench.hear(7)
    #expect(bench.takeEvents().isEmpty && bench.isChoosing && bench.shown == [1])
    #expect(bench.choose(1)?.device == .number(7))
    #expect(bench.flow.state == .adding(PickerBench.accessory))
    bench.succeed()
    #expect(bench.takeEvents() == [.didDismiss, .finished(nil)])
    #expect(bench.isFinished)
  }

  @Test(
    "Without a candidate it ends in its time: 30 s, or what was asked for",
    arguments: [
      (PickerSettings.DiscoveryTimeout.standard, 30.0), (.short, 60), (.medium, 120), (.long, 300),
      (.seconds(7), 7),
    ])
  func times(timeout: PickerSettings.DiscoveryTimeout, seconds: Double) {
    let bench = PickerBench(filtered: false, timeout: timeout)
    _ = bench.takeEvents()
    bench.run(seconds: seconds - 0.001)
    #expect(bench.takeEvents().isEmpty)
    bench.run(seconds: 0.001)
    #expect(bench.takeEvents() == [.didDismiss, .finished(.nothingFound)])
  }

  @Test("An unbounded one waits for ever")
  func unbounded() {
    let bench = PickerBench(filtered: false, timeout: .unbounded)
    bench.run(seconds: 1_000_000)
    #expect(bench.flow.state == .discovering && bench.flow.end == nil)
  }

  @Test("When the time is over and the radio is down, that is said instead")
  func radioDown() {
    let bench = PickerBench()
    bench.isRadioDown = true
    bench.run(seconds: 30)
    #expect(bench.takeEvents().failure == .connectionFailed)
  }

  @Test("A first candidate ends the discovery's time; ten minutes without a choice end the picker")
  func idle() {
    let bench = PickerBench()
    bench.run(seconds: 29)
    bench.hear(1)
    bench.run(seconds: 599)
    #expect(!bench.isFinished)
    bench.run(seconds: 1)
    #expect(bench.takeEvents().failure == .userCancelled)
  }

  @Test("A device that the gate keeps out is no candidate yet")
  func outside() {
    let bench = PickerBench()
    bench.hear(1, inside: false)
    #expect(bench.shown.isEmpty && bench.flow.state == .discovering)
    #expect(bench.choose(1) == nil)
    bench.hear(1, inside: true)
    #expect(bench.shown == [1])
  }

  @Test("One choice wins; another candidate, a second choice and an unknown number do not")
  func oneWins() {
    let bench = PickerBench()
    bench.hear(1)
    bench.hear(2)
    #expect(bench.choose(3) == nil)
    #expect(bench.choose(2) != nil)
    #expect(bench.choose(1) == nil && bench.choose(2) == nil)
  }

  @Test("A candidate that is lost can be chosen no more; one that is being set up stays")
  func lost() {
    let bench = PickerBench()
    bench.hear(1)
    bench.hear(2)
    bench.lose(1)
    #expect(bench.choose(1) == nil)
    #expect(bench.choose(2) != nil)
    bench.lose(2)
    #expect(bench.candidate(2) != nil)
  }

  @Test("A setup that fails says so and closes the picker")
  func setupFails() {
    let bench = PickerBench()
    bench.hear(1)
    _ = bench.choose(1)
    _ = bench.takeEvents()
    bench.fail(.denied)
    #expect(bench.takeEvents() == [.setupFailed(.denied), .didDismiss, .finished(.denied)])
  }

  @Test("Denied, cancelled or ended with its session it is dismissed once, whatever comes after")
  func fails() {
    let bench = PickerBench()
    _ = bench.takeEvents()
    bench.fail(.denied)
    bench.fail(.nothingFound)
    bench.hear(1)
    bench.run(seconds: 1000)
    #expect(bench.takeEvents() == [.didDismiss, .finished(.denied)])
  }

  @Test("An accessory that awaits its app is confirmed, or fails when its owner says so")
  func confirming() {
    let confirmed = PickerBench()
    confirmed.hear(1)
    _ = confirmed.choose(1)
    confirmed.succeed(awaitsConfirmation: true)
    #expect(confirmed.isConfirming)
    confirmed.run(seconds: 119)
    confirmed.confirm()
    #expect(confirmed.takeEvents() == [.didPresent, .didDismiss, .finished(nil)])

    let late = PickerBench()
    late.hear(1)
    _ = late.choose(1)
    late.succeed(awaitsConfirmation: true)
    late.run(seconds: 1200)
    #expect(late.takeEvents() == [.didPresent] && late.isConfirming)
    late.fail(.nothingFound)
    #expect(
      late.takeEvents() == [.setupFailed(.nothingFound), .didDismiss, .finished(.nothingFound)])
  }

  @Test("Each change of its state is logged with the old and the new state")
  func transitions() {
    let bench = PickerBench(count: 2)
    bench.hear(1)
    bench.hear(2)
    _ = bench.choose(1)
    bench.succeed(awaitsConfirmation: true)
    bench.confirm()
    _ = bench.choose(2)
    bench.fail(.denied)
    #expect(
      bench.transitions == [
        "discovering -> choosing", "choosing -> adding", "adding -> confirming", "confirming -> choosing",
        "choosing -> adding", "adding -> failed",
      ])
  }

  @Test("Opened for several, it goes on until they were all set up")
  func several() {
    let bench = PickerBench(count: 2)
    bench.hear(1)
    bench.hear(2)
    _ = bench.choose(1)
    bench.succeed()
    #expect(bench.isChoosing && bench.picker.remaining == 1)
    #expect(bench.candidate(1) == nil)
    _ = bench.choose(2)
    bench.succeed()
    #expect(bench.takeEvents() == [.didPresent, .didDismiss, .finished(nil)])
  }

  @Test(
    "What nobody looks at ends in its own time, whatever is shown, and says what did not come",
    arguments: [
      (
        PickerRequest.Choice.device(0xC000_0000_0009), SetupErrorCode.discoveryTimeout,
        "no device with the address C0:00:00:00:00:09 matched an item within 7 s"
      ),
      (.firstImmediate, .discoveryTimeout, "nothing that matches was held at the gateway in 7 s"),
      (.person, .userCancelled, "nobody chose in 7 s"),
    ])
  func unattended(choice: PickerRequest.Choice, code: SetupErrorCode, reason: String) {
    var settings = PickerSettings()
    settings.discoveryTimeout = .seconds(7)
    let bench = PickerBench(settings: settings, choice: choice, isAttended: false)
    bench.run(seconds: 3)
    bench.hear(1)
    bench.run(seconds: 3.999)
    #expect(!bench.isFinished && bench.isChoosing)
    bench.run(seconds: 0.001)
    let failure = bench.takeEvents().finish
    #expect(failure?.code == code && failure?.reason == reason)
  }

  @Test("What nobody looks at has its time anew from each that was set up, and ends with the radio")
  func unattendedSeveral() {
    let bench = PickerBench(choice: .firstImmediate, count: 2)
    bench.run(seconds: 29)
    bench.hear(1)
    _ = bench.choose(1)
    bench.run(seconds: 60)
    bench.succeed()
    bench.isRadioDown = true
    bench.run(seconds: 29)
    #expect(!bench.isFinished)
    bench.run(seconds: 1)
    #expect(bench.takeEvents().failure == .connectionFailed)
  }

  @Test(
    "That nobody chose is said with the time that there was",
    arguments: [(30, "30 s"), (60, "a minute"), (90, "90 s"), (600, "10 minutes")])
  func nobodyChose(seconds: Int, words: String) {
    var limits = Limits()
    limits.pickerIdleSeconds = .init(seconds)
    let bench = PickerBench(limits: limits)
    bench.hear(1)
    bench.run(seconds: Double(seconds))
    #expect(bench.takeEvents().finish?.reason == "nobody chose in \(words)")
  }

  @Test("At most so many candidates, the strongest; the others are counted")
  func capacity() {
    var limits = Limits()
    limits.candidates = 3
    let bench = PickerBench(limits: limits)
    for number in 1...3 { bench.hear(UInt64(number), level: -60 - Int16(number)) }
    bench.hear(4, level: -90)
    #expect(bench.hidden == [.number(4)])
    bench.hear(5, level: -40)
    #expect(bench.hidden == [.number(3), .number(4)])
    #expect(bench.picker.candidates.candidates.map(\.device) == [.number(1), .number(2), .number(5)])
    bench.lose(1)
    bench.hear(3, level: -63)
    #expect(bench.hidden == [.number(4)])
  }

  @Test("Touch shows nothing to choose from and ends after five minutes")
  func touch() {
    let bench = PickerBench(choice: .touch)
    bench.hear(1)
    #expect(bench.flow.state == .discovering)
    bench.run(seconds: 299)
    #expect(!bench.isFinished)
    bench.run(seconds: 1)
    #expect(bench.takeEvents().failure == .discoveryTimeout)
  }

  @Test("Touch ends as early as is wanted, and never later", arguments: [(12, 12), (300, 300), (3600, 300)])
  func touchTimeout(wanted: Int32, end: Double) {
    var settings = PickerSettings()
    settings.discoveryTimeout = .seconds(wanted)
    let bench = PickerBench(settings: settings, choice: .touch)
    bench.run(seconds: end - 1)
    #expect(!bench.isFinished)
    bench.run(seconds: 1)
    #expect(bench.takeEvents().failure == .discoveryTimeout)
  }
}

@Suite("A filtered picker")
struct FilteredPickerTests {
  @Test("The app is told once of each device, with its scan response or after 300 ms")
  func discovers() {
    let bench = PickerBench(filtered: true)
    bench.hear(1, responded: false)
    bench.run(seconds: 0.299)
    #expect(bench.takeEvents() == [.didPresent])
    bench.run(seconds: 0.001)
    #expect(bench.takeEvents() == [.discovered(1)])
    bench.hear(2, responded: false)
    bench.hear(2, responded: true)
    #expect(bench.takeEvents() == [.discovered(2)])
    bench.hear(1, responded: true)
    bench.run(seconds: 5)
    #expect(bench.takeEvents().isEmpty)
  }

  @Test("Nothing is shown until the app says what; each list replaces the one before")
  func updates() {
    let bench = PickerBench(filtered: true)
    bench.hear(1)
    bench.hear(2)
    #expect(bench.shown.isEmpty && bench.choose(1) == nil)
    #expect(bench.update(2))
    #expect(bench.shown == [2] && bench.candidate(2)?.appName == "Mine 2")
    #expect(bench.update(1))
    #expect(bench.shown == [1] && bench.candidate(2)?.appName == nil)
    #expect(!bench.update(1, 9))
    #expect(bench.shown == [1])
    #expect(bench.update())
    #expect(bench.shown.isEmpty)
  }

  @Test("The discovery's time runs until the app shows something")
  func timeout() {
    let bench = PickerBench(filtered: true)
    bench.hear(1)
    bench.run(seconds: 30)
    #expect(bench.takeEvents().failure == .discoveryTimeout)
    let shown = PickerBench(filtered: true)
    shown.hear(1)
    #expect(shown.update(1))
    shown.run(seconds: 60)
    #expect(!shown.isFinished)
  }

  @Test("Finishing the discovery before any update fails the picker; after one it does nothing")
  func finishes() {
    let early = PickerBench(filtered: true, timeout: .unbounded)
    early.hear(1)
    early.finishDiscovery()
    #expect(early.takeEvents().failure == .discoveryTimeout)
    let late = PickerBench(filtered: true, timeout: .unbounded)
    late.hear(1)
    #expect(late.update(1))
    late.finishDiscovery()
    #expect(!late.isFinished)
  }

  @Test("A device that the app shows does not give way to a stronger one")
  func shownStay() {
    var limits = Limits()
    limits.candidates = 2
    var settings = PickerSettings()
    settings.options = .filterDiscoveryResults
    let bench = PickerBench(settings: settings, limits: limits)
    bench.hear(1, level: -80)
    bench.hear(2, level: -70)
    #expect(bench.update(1))
    bench.hear(3, level: -40)
    #expect(bench.picker.candidates.candidates.map(\.device) == [.number(1), .number(3)])
  }
}
