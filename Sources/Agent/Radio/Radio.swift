// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import Interfaces

/// The radio: initialised, kept scanning by its plan, and recovered after a failure.
///
/// Pure: packets, what the shell reports and the time go in; ``output`` holds the commands and log lines that come of
/// it. ``ControllerInitializer`` drives a controller that is the agent's own, ``MgmtScan`` one that the kernel shares.
struct Radio: Sendable {
  enum Link: Equatable, Sendable {
    /// There is no radio, for this reason.
    case absent(String)
    /// The agent sends the controller its commands.
    case controller
    /// The kernel scans for the agent.
    case shared
    /// The agent reads the events of an adapter that other programs use.
    case listener
    case recording
    /// The adapter is closed while this recovery action is under way.
    case recovering(RecoveryAction)
    /// A recording that has ended.
    case ended(String)
  }

  private(set) var link = Link.absent("it is being opened")
  private(set) var plan: ScanPlan?
  private(set) var initializer: ControllerInitializer
  private(set) var shared = MgmtScan(index: 0)
  private(set) var recovery = RadioRecovery()
  private(set) var probe = RadioProbe()
  private(set) var absence: RadioAbsence
  private(set) var bluetoothdEnd = BluetoothdEnd()
  /// How often a controller was initialised.
  private(set) var initializations: UInt64 = 0
  private(set) var scanningSince: Instant?
  /// Since when the radio has not scanned, after it had.
  private var gapStart: Instant?
  private var changes: [RadioChange] = []
  private var output: [Action] = []

  /// `addressSeed` decides the address of a controller that has none.
  init(addressSeed: Block128, at now: Instant) {
    initializer = ControllerInitializer(addressSeed: addressSeed)
    absence = RadioAbsence(since: now)
  }

  /// Removes and returns what the inputs since the last call have caused, in order.
  mutating func takeOutput() -> [Action] {
    defer { output.removeAll() }
    return output
  }

  /// Removes and returns the changes of the state since the last call, in order.
  mutating func takeChanges() -> [RadioChange] {
    defer { changes.removeAll() }
    return changes
  }
}

// MARK: - Inputs

extension Radio {
  /// A radio was opened.
  mutating func open(_ kind: RadioKind, hasBoardStep: Bool, powersOn: Bool, at now: Instant) {
    update(at: now) { radio in
      radio.recovery.retry = nil
      switch kind {
      case .recording: radio.link = .recording
      case .listener: radio.link = .listener
      case .controller:
        radio.link = .controller
        radio.recovery.watchdog.use(.commands)
        radio.initialize(at: now)
      case .adapter:
        radio.link = .controller
        radio.recovery.watchdog.use(.adapter(hasBoardStep: hasBoardStep))
        radio.initialize(at: now)
      case .sharedAdapter(let index, let state):
        radio.link = .shared
        radio.recovery.watchdog.use(.adapter(hasBoardStep: hasBoardStep))
        radio.shared = MgmtScan(index: index, kernelScanState: state, powersOn: powersOn)
        if powersOn { radio.bluetoothdEnd = BluetoothdEnd(adapterOpenedAt: now) }
        radio.initialize(at: now)
      }
    }
  }

  /// The radio is gone or, if it `isEnd`, a recording has ended.
  mutating func close(_ reason: String, isEnd: Bool = false, at now: Instant) {
    update(at: now) { radio in
      radio.stop(at: now)
      radio.link = isEnd ? .ended(reason) : .absent(reason)
    }
  }

  /// A recovery action did not bring the adapter back, or took it away.
  mutating func recoveryFailed(_ reason: String, at now: Instant) {
    update(at: now) { radio in
      guard case .recovering = radio.link else { return }
      radio.recover(from: .remedy(reason), mayRestart: false, at: now)
    }
  }

  mutating func follow(_ plan: ScanPlan?, at now: Instant) {
    self.plan = plan
    update(at: now) { radio in
      switch radio.link {
      case .controller: radio.apply(radio.initializer.follow(plan, now: now), at: now)
      case .shared: radio.apply(radio.shared.follow(plan, now: now), at: now)
      case .absent, .listener, .recording, .recovering, .ended: break
      }
    }
  }

  /// Ends the scan of a controller that takes the agent's commands.
  mutating func endScan(at now: Instant) {
    guard link == .controller else { return }
    follow(nil, at: now)
  }

  /// An event without advertising reports.
  mutating func receive(_ event: borrowing Event, at now: Instant) {
    let before = state
    switch link {
    case .controller:
      let answered = initializer.probesAnswered
      apply(initializer.received(event, now: now), at: now)
      if initializer.probesAnswered != answered { noteHeard(at: now) }
    case .shared: receiveShared(event, at: now)
    case .absent, .listener, .recording, .recovering, .ended: break
    }
    noteChange(since: before, at: now)
  }

  /// Other programs' commands, and the adapter's replies to them, are seen too.
  private mutating func receiveShared(_ event: borrowing Event, at now: Instant) {
    if let code = event.hardwareErrorCode, isActive != nil {
      // The kernel resets the controller, and does not scan after that as before.
      return recover(from: .controller(.hardwareError(code)), mayRestart: true, at: now)
    }
    guard let answer = CommandReply(event), answer.isComplete else { return }
    // The probe is queued after any command the kernel has pending.
    if recovery.refusal.note(answer), isActive != nil, probe.end == nil { sendProbe(at: now) }
    guard probe.end != nil, answer.opcode == .readLocalVersion else { return }
    guard let error = recovery.refusal.error(after: answer) else {
      noteHeard(at: now)
      return
    }
    recover(from: .controller(error), mayRestart: true, at: now)
  }

  /// A message of the kernel's management interface.
  mutating func receive(_ event: MgmtEvent, at now: Instant) {
    guard link == .shared else { return }
    let wasSwitchedOff = isSwitchedOff
    update(at: now) { $0.apply($0.shared.received(event, now: now), at: now) }
    guard shared.powersOn else { return }
    if isSwitchedOff != wasSwitchedOff { bluetoothdEnd.noteSwitch(isOff: isSwitchedOff, at: now) }
    if event.isByOtherProgram { bluetoothdEnd.noteOtherProgram(at: now) }
  }

  mutating func bluetoothdEnded(at now: Instant) {
    if link == .shared, shared.powersOn { bluetoothdEnd.noteEnd(at: now) }
  }

  /// The shell has looked for bluetoothd.
  mutating func bluetoothdWasSought(isRunning: Bool, at now: Instant) {
    guard bluetoothdEnd.endLook(isRunning: isRunning, at: now), isSwitchedOff else { return }
    output.append(.log(.switchedOnAfterBluetoothd))
    update(at: now) { $0.apply($0.shared.powerOn(now: now), at: now) }
  }

  /// Until when further reports say nothing new about a radio that works, for all that is known; nil: each says something.
  var hearingEnd: Instant? {
    guard recovery.refusal.error == nil, recovery.watchdog.action == nil, recovery.failure == nil else {
      return nil
    }
    return probe.hearingEnd
  }

  /// The radio has brought reports, or a reply. Returns ``hearingEnd``.
  @discardableResult
  mutating func noteHeard(at now: Instant) -> Instant? {
    probe.heard(at: now)
    absence.noteHeard()
    recovery.refusal.forget()
    if isActive != nil { recovery.watchdog.recovered(at: now) }
    return hearingEnd
  }

  /// Lets time pass. Returns whether the radio has now been absent long enough that the devices it found are lost.
  mutating func advance(to now: Instant) -> Bool {
    if bluetoothdEnd.beginLook(at: now) { output.append(.findBluetoothd) }
    update(at: now) { radio in
      if let retry = radio.recovery.retry {
        guard retry <= now else { return }
        radio.recovery.retry = nil
        return radio.initialize(at: now)
      }
      switch radio.link {
      case .controller: radio.apply(radio.initializer.timeout(now: now), at: now)
      case .shared: radio.apply(radio.shared.timeout(now: now), at: now)
      case .absent, .listener, .recording, .recovering, .ended: return
      }
      radio.advanceProbe(to: now)
    }
    return absence.isOver(at: now)
  }

  /// When ``advance(to:)`` is due. It changes nothing, but a radio that is only borrowed would be copied.
  var deadline: Instant? {
    mutating get {
      let retry = recovery.retry
      let next =
        switch link {
        case .absent, .listener, .recording, .recovering, .ended: retry
        case .controller: retry ?? .earliest(initializer.deadline, nextProbe)
        case .shared: retry ?? .earliest(shared.deadline, probe.end ?? nextProbe)
        }
      return .earliest(next, .earliest(absence.deadline, bluetoothdEnd.lookDue))
    }
  }

  private var nextProbe: Instant? { isActive == nil ? nil : probe.due }
}

// MARK: - Transitions

extension Radio {
  private mutating func initialize(at now: Instant) {
    probe.end = nil
    switch link {
    case .controller:
      initializations &+= 1
      apply(initializer.start(plan, now: now), at: now)
    case .shared:
      initializations &+= 1
      apply(shared.start(plan, now: now), at: now)
    // The adapter was closed for a recovery action that did not help.
    case .absent, .recovering: closeForRecovery(.takeDownAndUp, at: now)
    case .listener, .recording, .ended: break
    }
  }

  private mutating func stop(at now: Instant) {
    (recovery.retry, scanningSince, probe.end, probe.lastHeard) = (nil, nil, nil, nil)
    recovery.watchdog.stopped(at: now)
    for command in restoringCommands { output.append(.manage(command)) }
    apply(initializer.stop(), at: now)
    shared.stop()
    bluetoothdEnd = BluetoothdEnd()
  }

  private mutating func apply(_ step: ControllerInitializer.Output, at now: Instant) {
    if let command = step.command { output.append(.send(command)) }
    guard let state = step.state else { return }
    switch state {
    case .failed(let error):
      fail(.controller(error), mayRestart: scanningSince != nil && !error.isHardware, at: now)
    case .scanning: noteScan(at: now)
    case .off, .preparing, .ready: scanningSince = nil
    case .configuring, .enabling, .disabling: break
    }
  }

  private mutating func apply(_ step: MgmtScan.Output, at now: Instant) {
    if let command = step.command { output.append(.manage(command)) }
    guard let state = step.state else { return }
    switch state {
    // Neither is a failure of the controller.
    case .failed(.gone): output.append(.releaseRadio(MgmtScanError.gone.sentence))
    case .failed(.blocked): output.append(.releaseRadio(MgmtScanError.blocked.sentence))
    case .failed(let error): fail(.kernel(error), mayRestart: scanningSince != nil, at: now)
    case .scanning: noteScan(at: now)
    case .off, .preparing, .switchedOff, .ready: scanningSince = nil
    }
  }

  private mutating func noteScan(at now: Instant) {
    guard scanningSince == nil else { return }
    (scanningSince, probe.lastHeard) = (now, now)
    recovery.failure = nil
    recovery.watchdog.scans(at: now)
    // During a recovery the scan has to be proved; a kernel has yet to tell its controller.
    guard recovery.watchdog.action != nil || recovery.refusal.error != nil else { return }
    guard link == .shared else { return sendProbe(at: now) }
    probe.lastHeard = now.advanced(
      milliseconds: ScanStartError.settlingMilliseconds - Watchdog.silenceMilliseconds)
  }

  // MARK: - Silence

  private mutating func advanceProbe(to now: Instant) {
    if let end = probe.end, end <= now {
      probe.end = nil
      return recover(from: .unanswered, mayRestart: true, at: now)
    }
    guard probe.end == nil, let due = nextProbe, due <= now else { return }
    probe.lastHeard = now
    sendProbe(at: now)
  }

  private mutating func sendProbe(at now: Instant) {
    probe.count &+= 1
    switch link {
    case .controller: apply(initializer.probe(now: now), at: now)
    case .shared:
      probe.end = now.advanced(milliseconds: RadioProbe.timeoutMilliseconds)
      output.append(.send(.readLocalVersion))
    case .absent, .listener, .recording, .recovering, .ended: break
    }
  }

  // MARK: - Recovery

  private mutating func fail(_ reason: RadioError, mayRestart: Bool, at now: Instant) {
    recovery.failureCount &+= 1
    recover(from: reason, mayRestart: mayRestart, at: now)
  }

  private mutating func recover(from failure: RadioError, mayRestart: Bool, at now: Instant) {
    (scanningSince, probe.end) = (nil, nil)
    recovery.failure = failure
    recovery.refusal.forget()
    switch recovery.watchdog.failed(at: now, mayRestart: mayRestart) {
    case .wait(let milliseconds):
      if case .recovering = link { link = .absent(failure.sentence) }
      recovery.retry = now.advanced(milliseconds: milliseconds)
      output.append(.log(.initializationFailed(failure, retryMilliseconds: milliseconds)))
    case .perform(let action):
      output.append(.log(.radioRecovery(action, failure)))
      performRecovery(action, at: now)
    }
  }

  private mutating func performRecovery(_ action: RecoveryAction, at now: Instant) {
    switch (action, link) {
    case (.restartScan, .controller): apply(initializer.restartScan(now: now), at: now)
    case (.restartScan, .shared): apply(shared.restart(now: now), at: now)
    case (.reset, .controller): initialize(at: now)
    case (.restartScan, _), (.reset, _), (.takeDownAndUp, _), (.powerCycle, _), (.boardStep, _):
      closeForRecovery(action, at: now)
    }
  }

  private mutating func closeForRecovery(_ action: RecoveryAction, at now: Instant) {
    stop(at: now)
    link = .recovering(action)
    output.append(.recoverRadio(action))
  }

  // MARK: - Changes of state

  private mutating func update(at now: Instant, _ body: (inout Self) -> Void) {
    let before = state
    body(&self)
    noteChange(since: before, at: now)
  }

  private mutating func noteChange(since before: RadioLine.State, at now: Instant) {
    let state = state
    absence.follow(state, at: now)
    guard state != before else { return }
    if before == .on { gapStart = now }
    let gap = state == .on ? gapStart.map { now.microseconds &- $0.microseconds } : nil
    if state == .on { gapStart = nil }
    changes.append(RadioChange(state: state, detail: detail, gap: gap))
    output.append(.log(.radio(state, before: before, detail: detail)))
  }
}

/// A change of the radio's state, for operators who watch.
struct RadioChange: Equatable, Sendable {
  let state: RadioLine.State
  let detail: String
  /// How long the radio has not scanned, in microseconds; nil unless it scans again.
  let gap: Int64?
}
