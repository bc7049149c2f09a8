// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Registry
@testable import Setup

/// An open picker and the events of its session.
final class PickerHarness {
  /// An event of a session, without the devices' payloads.
  enum Event: Equatable {
    case didPresent
    case discovered(UInt32)
    case setupFailed(SetupError)
    case didDismiss
    case finished(SetupError?)
  }

  private(set) var flow: SetupFlow
  private(set) var events: [Event] = []
  /// The logged changes of state.
  private(set) var transitions: [String] = []
  private(set) var milliseconds: Int64 = 0
  var isRadioDown = false

  init(
    items: Int = 2, settings: PickerSettings = PickerSettings(), choice: PickerRequest.Choice = .person,
    count: Int = 1, isAttended: Bool = true, limits: Limits = Limits()
  ) {
    let now = Instant(microseconds: 0)
    let items = (0..<items).map { PickerItem(DisplayItem(id: "item\($0)", name: "Item \($0)")) }
    let picker = PickerRequest(
      items, settings: settings, choice: choice, count: count, isAttended: isAttended, limits: limits, at: now
    )
    flow = SetupFlow(RandomIdentifier(high: 1, low: 1), app: "lights", .operator, picker, at: now)
    record(flow.present())
  }

  convenience init(filtered: Bool, timeout: PickerSettings.DiscoveryTimeout = .standard) {
    var settings = PickerSettings()
    if filtered { settings.options = .filterDiscoveryResults }
    settings.discoveryTimeout = timeout
    self.init(settings: settings)
  }

  var now: Instant { Instant(microseconds: milliseconds * 1000) }

  var picker: PickerRequest {
    guard let picker = flow.picker else { preconditionFailure("the flow has a picker") }
    return picker
  }

  /// Returns the events since the last call, and removes them.
  func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  private func record(_ effects: [SetupFlow.Effect]) {
    for case .log(let old, let new) in effects { transitions.append("\(old.name) -> \(new.name)") }
    for case .emit(let kind) in effects {
      switch kind {
      case .pickerDidPresent: events.append(.didPresent)
      case .accessoryDiscovered(let discovered): events.append(.discovered(discovered.number))
      case .pickerSetupFailed(let failure): events.append(.setupFailed(failure))
      case .pickerDidDismiss: events.append(.didDismiss)
      case .pickerFinished(let failure): events.append(.finished(failure))
      default: preconditionFailure("a picker sends no such event")
      }
    }
  }

  /// Lets time pass, from deadline to deadline.
  func run(seconds: Double) {
    let end = milliseconds + Int64(seconds * 1000)
    while let due = flow.deadline, due <= Instant(microseconds: end * 1000) {
      milliseconds = max(milliseconds, due.microseconds / 1000)
      let before = flow
      record(flow.advance(to: now, isRadioDown: isRadioDown))
      if flow.deadline == before.deadline { break }
    }
    milliseconds = end
    record(flow.advance(to: now, isRadioDown: isRadioDown))
  }

  func receive(
    _ number: UInt64, item: Int = 0, level: Int16 = -60, responded: Bool = true
  ) {
    let device = MatchedDevice(
      .number(number), app: "app", item: "item", level: level * 16, hasResponded: responded,
      report: DeviceReport(payload: [], rssi: Int8(level), isConnectable: true, time: now))
    record(flow.receive([(item, device)], at: now))
  }

  func lose(_ number: UInt64) { flow.lose(.number(number)) }

  func choose(_ number: UInt32) -> PickerCandidate? {
    guard flow.choose(number, .opener) else { return nil }
    record(flow.add(Self.accessory, name: nil))
    return flow.choice?.candidate
  }

  /// The identifier of the accessory that is set up.
  static let accessory = RandomIdentifier(high: 2, low: 1)

  func succeed(awaitsConfirmation: Bool = false) {
    record(flow.complete(completed(awaitsConfirmation), at: now))
  }

  func confirm() { record(flow.succeed(completed(false), at: now)) }

  private func completed(_ awaitsApp: Bool) -> CompletedSetup {
    CompletedSetup(
      accessory: Self.accessory, displayName: "Item 0", awaitsApp: awaitsApp, finishesInApp: false)
  }

  func fail(_ failure: SetupError) { record(flow.finish(failure)) }
  func finishDiscovery() { record(flow.finishDiscovery()) }

  func update(_ numbers: UInt32...) -> Bool {
    let items = numbers.map { number in
      var item = ShownCandidate(number: number)
      item.name = "Mine \(number)"
      return item
    }
    let (unknown, effects) = flow.show(items, at: now)
    record(effects)
    return unknown == nil
  }

  var shown: [UInt32] { picker.candidates.shown.map(\.number) }
  var hidden: Set<DeviceIdentity> { picker.candidates.hidden }
  var isFinished: Bool { flow.state.isFinished }

  var isChoosing: Bool { if case .choosing = flow.state { true } else { false } }
  var isConfirming: Bool { if case .confirming = flow.state { true } else { false } }
  func candidate(_ number: UInt32) -> PickerCandidate? { picker.candidates.candidate(number) }
}

extension DeviceAddress {
  static func number(_ number: UInt64) -> DeviceAddress {
    DeviceAddress(bits: 0xC000_0000_0000 | number, type: .random)
  }
}

extension DeviceIdentity {
  static func number(_ number: UInt64) -> DeviceIdentity { .bluetooth(.number(number)) }
}

extension SetupError {
  static var denied: Self { Self(.userRestricted, "an operator said no", cure: "ask the operator") }
}

extension [PickerHarness.Event] {
  /// The code with which a picker failed; nil if it succeeded or has not finished.
  var failure: SetupErrorCode? { finish?.code }

  var finish: SetupError? {
    if case .finished(let failure)? = last { failure } else { nil }
  }
}
