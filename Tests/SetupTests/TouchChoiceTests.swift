// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Setup
import Testing

@Suite("Choosing by touch")
struct TouchChoiceTests {
  /// A choice that expectations can change.
  private final class Bench {
    private var choice: TouchChoice
    init(inside: UInt64...) { choice = TouchChoice(inside: Set(inside.map(DeviceAddress.number))) }

    private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }
    func enter(_ number: UInt64, at milliseconds: Int64) {
      choice.enter(.number(number), at: at(milliseconds))
    }
    func leave(_ number: UInt64) { choice.leave(.number(number)) }
    func contest(_ number: UInt64) { choice.contest(.number(number)) }
    func decide(at milliseconds: Int64) -> TouchChoice.Decision? { choice.decide(at: at(milliseconds)) }
    var isWaiting: Bool { choice.deadline != nil }
  }

  @Test("A device that enters is chosen a second later")
  func chosen() {
    let harness = Bench()
    harness.enter(1, at: 500)
    #expect(harness.decide(at: 1499) == nil)
    #expect(harness.decide(at: 1500) == .chosen(.number(1)))
    #expect(harness.decide(at: 9000) == nil)
  }

  @Test("A device that was held when the request opened is eligible only after it has left and come again")
  func wasThere() {
    let harness = Bench(inside: 1)
    harness.enter(1, at: 0)
    #expect(!harness.isWaiting)
    harness.leave(1)
    harness.enter(1, at: 5000)
    #expect(harness.decide(at: 6000) == .chosen(.number(1)))
  }

  @Test("Of two devices in the same second neither is chosen, and both must leave and come again")
  func several() {
    let harness = Bench()
    harness.enter(1, at: 0)
    harness.enter(2, at: 999)
    #expect(harness.decide(at: 1000) == .several([.number(1), .number(2)]))
    harness.enter(1, at: 2000)
    harness.enter(2, at: 2000)
    #expect(!harness.isWaiting)
    harness.leave(2)
    harness.enter(2, at: 3000)
    #expect(harness.decide(at: 4000) == .chosen(.number(2)))
  }

  @Test("A second device after the decision is a separate choice")
  func later() {
    let harness = Bench()
    harness.enter(1, at: 0)
    #expect(harness.decide(at: 1000) == .chosen(.number(1)))
    harness.enter(2, at: 1001)
    #expect(harness.decide(at: 2001) == .chosen(.number(2)))
  }

  @Test("A device that leaves within its second is not chosen")
  func passesBy() {
    let harness = Bench()
    harness.enter(1, at: 0)
    harness.leave(1)
    #expect(!harness.isWaiting && harness.decide(at: 1000) == nil)
  }

  @Test("A device that two requests look for goes to neither")
  func contested() {
    let harness = Bench()
    harness.enter(1, at: 0)
    harness.contest(1)
    #expect(!harness.isWaiting && harness.decide(at: 1000) == nil)
    harness.enter(1, at: 2000)
    #expect(!harness.isWaiting)
    harness.leave(1)
    harness.enter(1, at: 3000)
    #expect(harness.decide(at: 4000) == .chosen(.number(1)))
  }

  @Test("Too many devices at the gateway choose nothing")
  func crowd() {
    let harness = Bench()
    for number in 0..<300 { harness.enter(UInt64(number), at: 0) }
    #expect(harness.decide(at: 1000) == .several((0..<256).map { .number($0) }))
    harness.enter(999, at: 2000)
    #expect(!harness.isWaiting)
    harness.leave(1)
    harness.enter(999, at: 3000)
    #expect(harness.decide(at: 4000) == .chosen(.number(999)))
  }
}

@Suite("How often an app may ask")
struct RequestPaceTests {
  private final class Bench {
    private var pace = RequestPace(failuresPerMinute: 5)

    func refusal(
      at seconds: Double, _ body: (inout RequestPace, Instant) throws(SetupError) -> Void
    ) -> SetupError? {
      do throws(SetupError) {
        try body(&pace, Instant(microseconds: Int64(seconds * 1_000_000)))
        return nil
      } catch { return error }
    }

    func open(at seconds: Double) -> SetupError? {
      refusal(at: seconds) { (pace, now) throws(SetupError) in
        try pace.call(at: now)
        try pace.openPicker(at: now)
      }
    }

    func fail(at seconds: Double) { _ = refusal(at: seconds) { pace, now in pace.pickerFailed(at: now) } }
    func cancel(at seconds: Double) {
      _ = refusal(at: seconds) { pace, now in pace.pickerWasCancelled(at: now) }
    }
  }

  @Test("Thirty pickers in a row that end with an accessory are not in each other's way")
  func installer() {
    let harness = Bench()
    for second in 0..<30 { #expect(harness.open(at: Double(second)) == nil) }
  }

  @Test("After five pickers that ended without an accessory the next waits until the first is a minute old")
  func failures() {
    let harness = Bench()
    for second in 0..<5 {
      #expect(harness.open(at: Double(10 * second)) == nil)
      harness.fail(at: Double(10 * second + 5))
    }
    let refusal = harness.open(at: 46)
    #expect(refusal?.code == .pickerRestricted && refusal?.cure == "ask again in 19 s")
    #expect(harness.open(at: 64.9)?.code == .pickerRestricted)
    #expect(harness.open(at: 65) == nil)
    harness.fail(at: 66)
    #expect(harness.open(at: 67)?.code == .pickerRestricted)
  }

  @Test("Sixty calls in a minute are the most, whatever comes of them; refused ones do not count")
  func calls() {
    let harness = Bench()
    for call in 0..<60 { #expect(harness.open(at: 0.5 * Double(call)) == nil) }
    let refusal = harness.open(at: 30)
    #expect(refusal?.code == .pickerRestricted && refusal?.cure == "ask again in 30 s")
    #expect(harness.open(at: 60) == nil)
  }

  @Test("No picker opens within five seconds after an operator has closed one")
  func cancelled() {
    let harness = Bench()
    harness.cancel(at: 10)
    let refusal = harness.open(at: 14.9)
    #expect(
      refusal?.code == .pickerRestricted
        && refusal?.reason == "an operator has just closed a picker of the app")
    #expect(harness.open(at: 15) == nil)
  }
}
