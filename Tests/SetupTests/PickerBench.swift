// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Registry
import Setup

/// An open picker and what its session was told.
final class PickerBench {
  private(set) var request: PickerRequest
  private(set) var events: [PickerRequest.Event] = []
  private(set) var milliseconds: Int64 = 0
  var isRadioDown = false

  init(
    items: Int = 2, settings: PickerSettings = PickerSettings(), choice: PickerRequest.Choice = .person,
    count: Int = 1, isAttended: Bool = true, limits: Limits = Limits()
  ) {
    request = PickerRequest(
      RandomIdentifier(high: 1, low: 1), app: "lights", itemCount: items, settings: settings, choice: choice,
      count: count, isAttended: isAttended, limits: limits, at: Instant(microseconds: 0))
    events += request.present()
  }

  convenience init(filtered: Bool, timeout: PickerSettings.DiscoveryTimeout = .standard) {
    var settings = PickerSettings()
    if filtered { settings.options = .filterDiscoveryResults }
    settings.discoveryTimeout = timeout
    self.init(settings: settings)
  }

  var now: Instant { Instant(microseconds: milliseconds * 1000) }

  /// What happened since it was asked last.
  func takeEvents() -> [PickerRequest.Event] {
    defer { events = [] }
    return events
  }

  /// Lets time pass, from deadline to deadline.
  func run(seconds: Double) {
    let end = milliseconds + Int64(seconds * 1000)
    while let due = request.deadline, due <= Instant(microseconds: end * 1000) {
      milliseconds = max(milliseconds, due.microseconds / 1000)
      let before = request
      events += request.advance(to: now, isRadioDown: isRadioDown)
      if request.deadline == before.deadline { break }
    }
    milliseconds = end
    events += request.advance(to: now, isRadioDown: isRadioDown)
  }

  func hear(
    _ number: UInt64, item: Int = 0, level: Int16 = -60, inside: Bool = true, responded: Bool = true
  ) {
    events += request.hear(
      CandidateReport(
        .number(number), item: item, level: level * 16, isInside: inside, hasResponded: responded), at: now)
  }

  func lose(_ number: UInt64) { request.lose(.number(number)) }

  func choose(_ number: UInt32) -> PickerCandidate? { request.choose(number) }

  func succeed(awaitsConfirmation: Bool = false) {
    events += request.setupSucceeded(awaitsConfirmation: awaitsConfirmation, at: now)
  }

  func confirm() { events += request.confirmed(at: now) }
  func failSetup(_ failure: SetupFailure) { events += request.failSetup(failure) }
  func fail(_ failure: SetupFailure) { events += request.fail(failure) }
  func finishDiscovery() { events += request.finishDiscovery() }

  func update(_ numbers: UInt32...) -> Bool {
    request.update(showing: numbers.map { ($0, "Mine \($0)", nil) }, at: now)
  }

  var shown: [UInt32] { request.candidates.filter(\.isShown).map(\.number) }
}

extension DeviceAddress {
  static func number(_ number: UInt64) -> DeviceAddress {
    DeviceAddress(bits: 0xC000_0000_0000 | number, type: .random)
  }
}

extension SetupFailure {
  static var denied: Self { Self(.userRestricted, "an operator said no", cure: "ask the operator") }
}

extension [PickerRequest.Event] {
  /// The code that a picker finished with; nil when it did not, or finished well.
  var failure: SetupErrorCode? { finish?.code }

  var finish: SetupFailure? {
    if case .finished(let failure)? = last { failure } else { nil }
  }
}
