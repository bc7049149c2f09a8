// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI

/// The radio as the agent holds it: brought up, kept scanning by its plan, and tried again after a failure.
///
/// Pure: what its drivers, ``ControllerInitializer`` and ``MgmtScan``, are to be told goes in with its time; commands and what is
/// worth a log line come out. What is done about failures, ``Watchdog`` says. A radio that is to scan and was not heard
/// for half a minute is asked something harmless: an answer means that the room is quiet.
struct Radio: Sendable {
  enum Link: Equatable, Sendable {
    /// Why, in a sentence.
    case absent(String)
    case controller
    /// Of index.
    case shared
    case listener
    case recording
    /// Let go for as long as the remedy takes.
    case mending(RecoveryAction)
    /// A recording that has ended.
    case ended(String)
  }

  /// So long a command beside the kernel's own may take, as in the kernel (HCI_CMD_TIMEOUT).
  private static let probeMilliseconds: Int64 = 3000

  private(set) var link = Link.absent("it is being opened")
  private(set) var bringup: ControllerInitializer
  private(set) var plan: ScanPlan?
  private(set) var bringups: UInt64 = 0
  private(set) var failures: UInt64 = 0
  private(set) var shared = MgmtScan(index: 0)
  private var refusal = ScanRefusal()
  private(set) var watchdog = Watchdog(.commands)
  /// Whether the board's profile knows a step of its own.
  var hasBoardStep = false
  private var retry: Instant?
  private var onSince: Instant?
  /// When it was last heard, or asked and heard of.
  private var heard: Instant?
  /// By when the adapter that others use too must have answered.
  private var probeEnd: Instant?
  private(set) var probes: UInt64 = 0
  /// What the last failure was.
  private(set) var failure: RadioFailure?
  var output: [Action] = []

  /// `addressSeed` decides the address of a controller that has none.
  init(_ plan: ScanPlan?, addressSeed: Block128) {
    self.plan = plan
    bringup = ControllerInitializer(addressSeed: addressSeed)
  }

  var profile: ControllerProfile { bringup.profile }

  /// Whether it speaks of now, by our clock.
  var isLive: Bool {
    switch link {
    case .controller, .shared, .listener: true
    case .absent, .recording, .mending, .ended: false
    }
  }

  /// Whether its scan may pass on too few reports of a device for the gate: one that others decide on, or the kernel's
  /// discovery, which leaves repetitions out.
  var isImmediateDegraded: Bool {
    switch link {
    case .listener: true
    case .shared: !shared.hasMonitors
    case .absent, .controller, .recording, .mending, .ended: false
    }
  }

  /// Whether somebody switched a shared adapter off.
  var isSwitchedOff: Bool { link == .shared && shared.state == .switchedOff }

  /// What takes back what the kernel was asked for.
  var farewell: [MgmtCommand] { link == .shared ? shared.farewell : [] }

  /// Nil unless it scans.
  var isActive: Bool? {
    switch link {
    case .controller:
      switch bringup.state {
      case .scanning(let isActive): isActive
      case .off, .preparing, .ready, .configuring, .enabling, .disabling, .failed: nil
      }
    case .shared:
      switch shared.state {
      case .scanning(let isActive): isActive
      case .off, .preparing, .switchedOff, .ready, .failed: nil
      }
    case .absent, .listener, .recording, .mending, .ended: nil
    }
  }

  var state: RadioState {
    switch link {
    case .absent: .absent
    case .recording, .listener: .on
    case .ended: .off
    case .mending: .recovering
    case .controller: controllerState
    case .shared: sharedState
    }
  }

  private var sharedState: RadioState {
    switch shared.state {
    case .scanning: .on
    case .ready: .off
    case .switchedOff: .absent
    case .off, .preparing, .failed: .recovering
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
    if probeEnd != nil { return true }
    switch bringup.state {
    case .preparing, .configuring, .enabling, .disabling: return link == .controller
    case .off, .ready, .scanning, .failed: return false
    }
  }

  /// When ``advance(to:)`` is due.
  var deadline: Instant? {
    switch link {
    case .absent, .listener, .recording, .mending, .ended: retry
    case .controller: retry ?? [bringup.deadline, nextProbe].compactMap { $0 }.min()
    case .shared: retry ?? [shared.deadline, probeEnd ?? nextProbe].compactMap { $0 }.min()
    }
  }

  private var nextProbe: Instant? {
    isActive == nil ? nil : heard?.advanced(milliseconds: Watchdog.silenceMilliseconds)
  }
}

// MARK: - Inputs

extension Radio {
  mutating func appear(_ kind: RadioKind, at now: Instant) {
    report { radio in
      radio.retry = nil
      switch kind {
      case .recording: radio.link = .recording
      case .listener: radio.link = .listener
      case .controller:
        radio.link = .controller
        radio.watchdog.use(.commands)
        radio.begin(at: now)
      case .adapter:
        radio.link = .controller
        radio.watchdog.use(.adapter(hasBoardStep: radio.hasBoardStep))
        radio.begin(at: now)
      case .sharedAdapter(let index, let remains):
        radio.link = .shared
        radio.watchdog.use(.adapter(hasBoardStep: radio.hasBoardStep))
        radio.shared = MgmtScan(index: index, remains: remains)
        radio.begin(at: now)
      }
    }
  }

  /// It is gone, or, as `isEnd` says, has told all it had to.
  mutating func vanish(_ reason: String, isEnd: Bool = false, at now: Instant) {
    report { radio in
      radio.leave(at: now)
      radio.link = isEnd ? .ended(reason) : .absent(reason)
    }
  }

  /// A remedy did not bring it back, or took it away.
  mutating func remedyFailed(_ reason: String, at now: Instant) {
    report { radio in
      guard case .mending = radio.link else { return }
      radio.failure = .remedy(reason)
      radio.seekRemedy(mayRestart: false, at: now)
    }
  }

  mutating func follow(_ plan: ScanPlan?, at now: Instant) {
    self.plan = plan
    report { radio in
      switch radio.link {
      case .controller: radio.take(radio.bringup.follow(plan, now: now), at: now)
      case .shared: radio.take(radio.shared.follow(plan, now: now), at: now)
      case .absent, .listener, .recording, .mending, .ended: break
      }
    }
  }

  /// An event that holds no reports.
  mutating func receive(_ event: borrowing Event, at now: Instant) {
    let before = state
    switch link {
    case .controller:
      let answered = bringup.probesAnswered
      take(bringup.received(event, now: now), at: now)
      if bringup.probesAnswered != answered { hear(at: now) }
    case .shared: receiveShared(event, at: now)
    case .absent, .listener, .recording, .mending, .ended: break
    }
    noteChange(since: before)
  }

  /// What others ask of the adapter, and how it answers them, is heard too.
  private mutating func receiveShared(_ event: borrowing Event, at now: Instant) {
    if event.hardwareErrorCode != nil, isActive != nil {
      // The kernel resets it, and does not scan behind that as before.
      failure = .controller(.hardwareError(event.hardwareErrorCode ?? 0))
      return seekRemedy(mayRestart: true, at: now)
    }
    guard let answer = CommandReply(event), answer.isComplete else { return }
    // What is asked comes behind all that the kernel says meanwhile.
    if refusal.take(answer), isActive != nil, probeEnd == nil { ask(at: now) }
    guard probeEnd != nil, answer.opcode == .readLocalVersion else { return }
    guard let error = refusal.error(behind: answer) else { return hear(at: now) }
    failure = .controller(error)
    seekRemedy(mayRestart: true, at: now)
  }

  /// A message of the management interface.
  mutating func receive(_ event: MgmtEvent, at now: Instant) {
    guard link == .shared else { return }
    report { $0.take($0.shared.received(event, now: now), at: now) }
  }

  /// There were reports.
  mutating func hear(at now: Instant) {
    heard = now
    refusal.forget()
    probeEnd = nil
    if isActive != nil { watchdog.recovered(at: now) }
  }

  mutating func advance(to now: Instant) {
    report { radio in
      if let retry = radio.retry {
        guard retry <= now else { return }
        radio.retry = nil
        return radio.begin(at: now)
      }
      switch radio.link {
      case .controller: radio.take(radio.bringup.timeout(now: now), at: now)
      case .shared: radio.take(radio.shared.timeout(now: now), at: now)
      case .absent, .listener, .recording, .mending, .ended: return
      }
      radio.watch(at: now)
    }
  }

  // MARK: - Steps

  private mutating func begin(at now: Instant) {
    probeEnd = nil
    switch link {
    case .controller:
      bringups &+= 1
      take(bringup.start(plan, now: now), at: now)
    case .shared:
      bringups &+= 1
      take(shared.start(plan, now: now), at: now)
    // It was let go for a remedy that did not help.
    case .absent, .mending: letGo(for: .takeDownAndUp, at: now)
    case .listener, .recording, .ended: break
    }
  }

  private mutating func leave(at now: Instant) {
    (retry, probeEnd, onSince, heard) = (nil, nil, nil, nil)
    for command in farewell { output.append(.manage(command)) }
    take(bringup.stop(), at: now)
    shared.stop()
  }

  /// Asks whether anybody is there when it was silent for long.
  private mutating func watch(at now: Instant) {
    if let end = probeEnd, end <= now {
      probeEnd = nil
      failure = .unanswered
      return seekRemedy(mayRestart: true, at: now)
    }
    guard probeEnd == nil, let due = nextProbe, due <= now else { return }
    heard = now
    ask(at: now)
  }

  /// Asks something harmless.
  private mutating func ask(at now: Instant) {
    probes &+= 1
    switch link {
    case .controller: take(bringup.probe(now: now), at: now)
    case .shared:
      probeEnd = now.advanced(milliseconds: Self.probeMilliseconds)
      output.append(.send(.readLocalVersion))
    case .absent, .listener, .recording, .mending, .ended: break
    }
  }

  private mutating func take(_ step: ControllerInitializer.Output, at now: Instant) {
    if let command = step.command { output.append(.send(command)) }
    guard let state = step.state else { return }
    switch state {
    case .failed(let error):
      fail(.controller(error), mayRestart: onSince != nil && !error.isHardware, at: now)
    case .scanning: noteScan(at: now)
    case .off, .preparing, .ready: onSince = nil
    case .configuring, .enabling, .disabling: break
    }
  }

  private mutating func take(_ step: MgmtScan.Output, at now: Instant) {
    if let command = step.command { output.append(.manage(command)) }
    guard let state = step.state else { return }
    switch state {
    // Neither is a fault of the controller's.
    case .failed(.gone): output.append(.releaseRadio(MgmtScanError.gone.sentence))
    case .failed(.blocked): output.append(.releaseRadio(MgmtScanError.blocked.sentence))
    case .failed(let error): fail(.kernel(error), mayRestart: onSince != nil, at: now)
    case .scanning: noteScan(at: now)
    case .off, .preparing, .switchedOff, .ready: onSince = nil
    }
  }

  private mutating func noteScan(at now: Instant) {
    guard onSince == nil else { return }
    (onSince, heard) = (now, now)
    failure = nil
    watchdog.scans(at: now)
    // On a ladder what was said is asked about; a kernel has yet to tell its controller.
    guard watchdog.rung != nil || refusal.error != nil else { return }
    guard link == .shared else { return ask(at: now) }
    heard = now.advanced(milliseconds: ScanRefusal.settlingMilliseconds - Watchdog.silenceMilliseconds)
  }

  private mutating func fail(_ reason: RadioFailure, mayRestart: Bool, at now: Instant) {
    failures &+= 1
    failure = reason
    seekRemedy(mayRestart: mayRestart, at: now)
  }

  private mutating func seekRemedy(mayRestart: Bool, at now: Instant) {
    (onSince, probeEnd) = (nil, nil)
    refusal.forget()
    let reason = failure ?? .unanswered
    switch watchdog.failed(at: now, mayRestart: mayRestart) {
    case .wait(let milliseconds):
      if case .mending = link { link = .absent(reason.sentence) }
      retry = now.advanced(milliseconds: milliseconds)
      output.append(.log(.bringupFailed(reason, retryMilliseconds: milliseconds)))
    case .climb(let rung):
      output.append(.log(.radioRecovery(rung, reason)))
      climb(rung, at: now)
    }
  }

  private mutating func climb(_ rung: RecoveryAction, at now: Instant) {
    switch (rung, link) {
    case (.restartScan, .controller): take(bringup.restartScan(now: now), at: now)
    case (.restartScan, .shared): take(shared.restart(now: now), at: now)
    case (.reset, .controller): begin(at: now)
    case (.restartScan, _), (.reset, _), (.takeDownAndUp, _), (.powerCycle, _), (.boardStep, _):
      letGo(for: rung, at: now)
    }
  }

  private mutating func letGo(for rung: RecoveryAction, at now: Instant) {
    leave(at: now)
    link = .mending(rung)
    output.append(.mend(rung))
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
