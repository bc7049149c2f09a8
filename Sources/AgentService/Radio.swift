// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import HCI

/// What stands at the other end of a radio source.
public enum RadioKind: Equatable, Sendable {
  /// Takes commands, and is brought up.
  case controller
  /// Only speaks.
  case recording
}

/// The radio as the agent holds it: brought up, kept scanning by its plan, and tried again after a failure.
///
/// Pure: what its driver, ``Bringup``, is to be told goes in with its time; commands and what is worth a log line come
/// out. After the first failure it waits one second, then twice as long each time, up to a minute; a scan that lasted
/// a minute makes the next failure a first one.
struct Radio: Sendable {
  enum Link: Equatable, Sendable {
    /// Why, in a sentence.
    case absent(String)
    case controller
    case recording
    /// A recording that has ended.
    case ended(String)
  }

  static let retryMillisecondsMin: Int64 = 1000
  static let retryMillisecondsMax: Int64 = 60_000

  private(set) var link = Link.absent("it is being opened")
  private var bringup: Bringup
  private(set) var plan: ScanPlan?
  private(set) var bringups: UInt64 = 0
  private(set) var failures: UInt64 = 0
  private var retry: Instant?
  private var retryMilliseconds = Radio.retryMillisecondsMin
  private var onSince: Instant?
  /// What the last failure was.
  private(set) var failure: BringupError?
  var output: [Action] = []

  /// `addressSeed` decides the address of a controller that has none.
  init(_ plan: ScanPlan?, addressSeed: Block128) {
    self.plan = plan
    bringup = Bringup(addressSeed: addressSeed)
  }

  var profile: ControllerProfile { bringup.profile }

  /// Nil unless it scans.
  var isActive: Bool? {
    switch bringup.state {
    case .scanning(let isActive): isActive
    case .off, .preparing, .ready, .configuring, .enabling, .disabling, .failed: nil
    }
  }

  var state: RadioState {
    switch link {
    case .absent: .absent
    case .recording: .on
    case .ended: .off
    case .controller: controllerState
    }
  }

  private var controllerState: RadioState {
    switch bringup.state {
    case .scanning: .on
    case .ready: .off
    // A scan that changes its parameters is on all the while.
    case .configuring, .enabling, .disabling: onSince == nil ? .recovering : .on
    case .off, .preparing, .failed: .recovering
    }
  }

  /// Whether a command is on its way.
  var awaitsAnswer: Bool {
    switch bringup.state {
    case .preparing, .configuring, .enabling, .disabling: link == .controller
    case .off, .ready, .scanning, .failed: false
    }
  }

  /// When ``advance(to:)`` is due.
  var deadline: Instant? { retry ?? bringup.deadline }
}

// MARK: - Inputs

extension Radio {
  mutating func appear(_ kind: RadioKind, at now: Instant) {
    report { radio in
      switch kind {
      case .recording: radio.link = .recording
      case .controller:
        radio.link = .controller
        radio.begin(at: now)
      }
    }
  }

  /// It is gone, or, as `isEnd` says, has told all it had to.
  mutating func vanish(_ reason: String, isEnd: Bool = false, at now: Instant) {
    report { radio in
      radio.link = isEnd ? .ended(reason) : .absent(reason)
      radio.retry = nil
      radio.take(radio.bringup.stop(), at: now)
    }
  }

  mutating func follow(_ plan: ScanPlan?, at now: Instant) {
    self.plan = plan
    guard link == .controller else { return }
    report { $0.take($0.bringup.follow(plan, now: now), at: now) }
  }

  /// An event that holds no reports.
  mutating func receive(_ event: borrowing Event, at now: Instant) {
    guard link == .controller else { return }
    let before = state
    take(bringup.received(event, now: now), at: now)
    noteChange(since: before)
  }

  mutating func advance(to now: Instant) {
    guard link == .controller else { return }
    report { radio in
      if let retry = radio.retry, retry <= now {
        radio.retry = nil
        radio.begin(at: now)
      } else {
        radio.take(radio.bringup.timeout(now: now), at: now)
      }
    }
  }

  // MARK: - Steps

  private mutating func begin(at now: Instant) {
    bringups &+= 1
    take(bringup.start(plan, now: now), at: now)
  }

  private mutating func take(_ step: Bringup.Output, at now: Instant) {
    if let command = step.command { output.append(.send(command)) }
    guard let state = step.state else { return }
    switch state {
    case .failed(let error): fail(error, at: now)
    case .scanning:
      if onSince == nil { onSince = now }
      failure = nil
    case .off, .preparing, .ready: onSince = nil
    case .configuring, .enabling, .disabling: break
    }
  }

  private mutating func fail(_ error: BringupError, at now: Instant) {
    failures &+= 1
    failure = error
    if let onSince, now.milliseconds(since: onSince) >= Self.retryMillisecondsMax {
      retryMilliseconds = Self.retryMillisecondsMin
    }
    onSince = nil
    retry = now.advanced(milliseconds: retryMilliseconds)
    output.append(.log(.bringupFailed(error, retryMilliseconds: retryMilliseconds)))
    retryMilliseconds = min(2 * retryMilliseconds, Self.retryMillisecondsMax)
  }

  private mutating func report(_ body: (inout Self) -> Void) {
    let before = state
    body(&self)
    noteChange(since: before)
  }

  private mutating func noteChange(since before: RadioState) {
    guard state != before else { return }
    output.append(.log(.radio(state, before: before, detail: detail)))
  }
}
