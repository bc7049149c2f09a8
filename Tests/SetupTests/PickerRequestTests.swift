// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
@testable import Setup
import Testing

@Suite("A picker")
struct PickerRequestTests {
  @Test("A picker is presented, shows candidates, and ends after a choice and a setup")
  func scenario() {
    let harness = PickerHarness()
    #expect(harness.takeEvents() == [.didPresent])
    #expect(harness.flow.state == .discovering)
    harness.receive(7)
    #expect(harness.takeEvents().isEmpty && harness.isChoosing && harness.shown == [1])
    #expect(harness.choose(1)?.device == .number(7))
    #expect(harness.flow.state == .adding(PickerHarness.accessory))
    harness.succeed()
    #expect(harness.takeEvents() == [.didDismiss, .finished(nil)])
    #expect(harness.isFinished)
  }

  @Test(
    "Without a candidate it ends after 30 s or the requested time",
    arguments: [
      (PickerSettings.DiscoveryTimeout.standard, 30.0), (.short, 60), (.medium, 120), (.long, 300),
      (.seconds(7), 7),
    ])
  func times(timeout: PickerSettings.DiscoveryTimeout, seconds: Double) {
    let harness = PickerHarness(filtered: false, timeout: timeout)
    _ = harness.takeEvents()
    harness.run(seconds: seconds - 0.001)
    #expect(harness.takeEvents().isEmpty)
    harness.run(seconds: 0.001)
    #expect(harness.takeEvents() == [.didDismiss, .finished(.nothingFound)])
  }

  @Test("An unbounded one never ends by itself")
  func unbounded() {
    let harness = PickerHarness(filtered: false, timeout: .unbounded)
    harness.run(seconds: 1_000_000)
    #expect(harness.flow.state == .discovering && harness.flow.end == nil)
  }

  @Test("When the time is over while the radio is down, the error says that instead")
  func radioDown() {
    let harness = PickerHarness()
    harness.isRadioDown = true
    harness.run(seconds: 30)
    #expect(harness.takeEvents().failure == .connectionFailed)
  }

  @Test("The first candidate ends the discovery timeout; ten minutes without a choice end the picker")
  func idle() {
    let harness = PickerHarness()
    harness.run(seconds: 29)
    harness.receive(1)
    harness.run(seconds: 599)
    #expect(!harness.isFinished)
    harness.run(seconds: 1)
    #expect(harness.takeEvents().failure == .userCancelled)
  }

  @Test("One choice wins; another candidate, a second choice and an unknown number do not")
  func oneWins() {
    let harness = PickerHarness()
    harness.receive(1)
    harness.receive(2)
    #expect(harness.choose(3) == nil)
    #expect(harness.choose(2) != nil)
    #expect(harness.choose(1) == nil && harness.choose(2) == nil)
  }

  @Test("A lost candidate can no longer be chosen; one that is being set up stays")
  func lost() {
    let harness = PickerHarness()
    harness.receive(1)
    harness.receive(2)
    harness.lose(1)
    #expect(harness.choose(1) == nil)
    #expect(harness.choose(2) != nil)
    harness.lose(2)
    #expect(harness.candidate(2) != nil)
  }

  @Test("A failed setup is reported and closes the picker")
  func setupFails() {
    let harness = PickerHarness()
    harness.receive(1)
    _ = harness.choose(1)
    _ = harness.takeEvents()
    harness.fail(.denied)
    #expect(harness.takeEvents() == [.setupFailed(.denied), .didDismiss, .finished(.denied)])
  }

  @Test("A picker that is denied, cancelled or ended with its session is dismissed exactly once")
  func fails() {
    let harness = PickerHarness()
    _ = harness.takeEvents()
    harness.fail(.denied)
    harness.fail(.nothingFound)
    harness.receive(1)
    harness.run(seconds: 1000)
    #expect(harness.takeEvents() == [.didDismiss, .finished(.denied)])
  }

  @Test("An accessory that awaits its app is confirmed or given back")
  func confirming() {
    let confirmed = PickerHarness()
    confirmed.receive(1)
    _ = confirmed.choose(1)
    confirmed.succeed(awaitsConfirmation: true)
    #expect(confirmed.isConfirming)
    confirmed.run(seconds: 119)
    confirmed.confirm()
    #expect(confirmed.takeEvents() == [.didPresent, .didDismiss, .finished(nil)])

    let late = PickerHarness()
    late.receive(1)
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
    let harness = PickerHarness(count: 2)
    harness.receive(1)
    harness.receive(2)
    _ = harness.choose(1)
    harness.succeed(awaitsConfirmation: true)
    harness.confirm()
    _ = harness.choose(2)
    harness.fail(.denied)
    #expect(
      harness.transitions == [
        "created -> discovering", "discovering -> choosing", "choosing -> adding", "adding -> confirming",
        "confirming -> choosing",
        "choosing -> adding", "adding -> failed",
      ])
  }

  @Test("A picker for several accessories stays open until all are set up")
  func several() {
    let harness = PickerHarness(count: 2)
    harness.receive(1)
    harness.receive(2)
    _ = harness.choose(1)
    harness.succeed()
    #expect(harness.isChoosing && harness.picker.remaining == 1)
    #expect(harness.candidate(1) == nil)
    _ = harness.choose(2)
    harness.succeed()
    #expect(harness.takeEvents() == [.didPresent, .didDismiss, .finished(nil)])
  }

  @Test(
    "An unattended picker ends in its own time, whatever is shown, and reports what was missing",
    arguments: [
      (
        PickerRequest.Choice.device(0xC000_0000_0009), SetupErrorCode.discoveryTimeout,
        "the device C0:00:00:00:00:09 was not among the devices to choose from within 7 s"
      ),
      (.firstImmediate, .discoveryTimeout, "nothing that matches was held at the gateway in 7 s"),
      (.person, .userCancelled, "no operator chose a device in 7 s"),
    ])
  func unattended(choice: PickerRequest.Choice, code: SetupErrorCode, reason: String) {
    var settings = PickerSettings()
    settings.discoveryTimeout = .seconds(7)
    let harness = PickerHarness(settings: settings, choice: choice, isAttended: false)
    harness.run(seconds: 3)
    harness.receive(1)
    harness.run(seconds: 3.999)
    #expect(!harness.isFinished && harness.isChoosing)
    harness.run(seconds: 0.001)
    let failure = harness.takeEvents().finish
    #expect(failure?.code == code && failure?.reason == reason)
  }

  @Test("An unattended picker restarts its time after each setup, and reports a radio that is down")
  func unattendedSeveral() {
    let harness = PickerHarness(choice: .firstImmediate, count: 2)
    harness.run(seconds: 29)
    harness.receive(1)
    _ = harness.choose(1)
    harness.run(seconds: 60)
    harness.succeed()
    harness.isRadioDown = true
    harness.run(seconds: 29)
    #expect(!harness.isFinished)
    harness.run(seconds: 1)
    #expect(harness.takeEvents().failure == .connectionFailed)
  }

  @Test(
    "An operator who does not choose is reported with the time that was left to choose",
    arguments: [(30, "30 s"), (60, "a minute"), (90, "90 s"), (600, "10 minutes")])
  func noChoice(seconds: Int, words: String) {
    var limits = Limits()
    limits.pickerIdleSeconds = .init(seconds)
    let harness = PickerHarness(limits: limits)
    harness.receive(1)
    harness.run(seconds: Double(seconds))
    #expect(harness.takeEvents().finish?.reason == "no operator chose a device in \(words)")
  }

  @Test("A picker has a limited number of candidates, the strongest; the others are counted")
  func capacity() {
    var limits = Limits()
    limits.candidates = 3
    let harness = PickerHarness(limits: limits)
    for number in 1...3 { harness.receive(UInt64(number), level: -60 - Int16(number)) }
    harness.receive(4, level: -90)
    #expect(harness.hidden == [.number(4)])
    harness.receive(5, level: -40)
    #expect(harness.hidden == [.number(3), .number(4)])
    #expect(harness.picker.candidates.candidates.map(\.device) == [.number(1), .number(2), .number(5)])
    harness.lose(1)
    harness.receive(3, level: -63)
    #expect(harness.hidden == [.number(4)])
  }

  @Test("Touch shows nothing to choose from and ends after five minutes")
  func touch() {
    let harness = PickerHarness(choice: .touch)
    harness.receive(1)
    #expect(harness.flow.state == .discovering)
    harness.run(seconds: 299)
    #expect(!harness.isFinished)
    harness.run(seconds: 1)
    #expect(harness.takeEvents().failure == .discoveryTimeout)
  }

  @Test(
    "Touch ends at the requested time, and never later than after five minutes",
    arguments: [(12, 12), (300, 300), (3600, 300)])
  func touchTimeout(wanted: Int32, end: Double) {
    var settings = PickerSettings()
    settings.discoveryTimeout = .seconds(wanted)
    let harness = PickerHarness(settings: settings, choice: .touch)
    harness.run(seconds: end - 1)
    #expect(!harness.isFinished)
    harness.run(seconds: 1)
    #expect(harness.takeEvents().failure == .discoveryTimeout)
  }
}

@Suite("A filtered picker")
struct FilteredPickerTests {
  @Test("The app receives each device once, with its scan response or after 300 ms")
  func discovers() {
    let harness = PickerHarness(filtered: true)
    harness.receive(1, responded: false)
    harness.run(seconds: 0.299)
    #expect(harness.takeEvents() == [.didPresent])
    harness.run(seconds: 0.001)
    #expect(harness.takeEvents() == [.discovered(1)])
    harness.receive(2, responded: false)
    harness.receive(2, responded: true)
    #expect(harness.takeEvents() == [.discovered(2)])
    harness.receive(1, responded: true)
    harness.run(seconds: 5)
    #expect(harness.takeEvents().isEmpty)
  }

  @Test("Nothing is shown until the app selects it; each list replaces the previous one")
  func updates() {
    let harness = PickerHarness(filtered: true)
    harness.receive(1)
    harness.receive(2)
    #expect(harness.shown.isEmpty && harness.choose(1) == nil)
    #expect(harness.update(2))
    #expect(harness.shown == [2] && harness.candidate(2)?.appName == "Mine 2")
    #expect(harness.update(1))
    #expect(harness.shown == [1] && harness.candidate(2)?.appName == nil)
    #expect(!harness.update(1, 9))
    #expect(harness.shown == [1])
    #expect(harness.update())
    #expect(harness.shown.isEmpty)
  }

  @Test("The discovery timeout runs until the app shows something")
  func timeout() {
    let harness = PickerHarness(filtered: true)
    harness.receive(1)
    harness.run(seconds: 30)
    #expect(harness.takeEvents().failure == .discoveryTimeout)
    let shown = PickerHarness(filtered: true)
    shown.receive(1)
    #expect(shown.update(1))
    shown.run(seconds: 60)
    #expect(!shown.isFinished)
  }

  @Test("Finishing the discovery before any update fails the picker; after one it does nothing")
  func finishes() {
    let early = PickerHarness(filtered: true, timeout: .unbounded)
    early.receive(1)
    early.finishDiscovery()
    #expect(early.takeEvents().failure == .discoveryTimeout)
    let late = PickerHarness(filtered: true, timeout: .unbounded)
    late.receive(1)
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
    let harness = PickerHarness(settings: settings, limits: limits)
    harness.receive(1, level: -80)
    harness.receive(2, level: -70)
    #expect(harness.update(1))
    harness.receive(3, level: -40)
    #expect(harness.picker.candidates.candidates.map(\.device) == [.number(1), .number(3)])
  }
}
