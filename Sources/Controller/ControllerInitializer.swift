// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Brings a controller up and keeps it scanning as a plan says: reset, what it can do, masks, scan parameters, enable.
///
/// Pure: events, times and plans go in, at most one command comes out of each step. Whoever drives it calls ``timeout(now:)``
/// once ``deadline`` has passed. Extended scanning is used where features and supported commands have it. A plan that
/// changes while it scans is followed by disable, set, enable. After a failure it waits for ``start(_:now:)``.
public struct ControllerInitializer: Sendable {
  public enum State: Equatable, Sendable {
    /// Nothing was begun.
    case off
    /// A command of the bring-up waits for its answer.
    case preparing(ControllerInitializerStep)
    /// Up, and no scan is wanted.
    case ready
    /// Scan parameters wait for their answer.
    case configuring
    case enabling
    case disabling
    case scanning(isActive: Bool)
    case failed(ControllerInitializerError)
  }

  /// What a step asks for.
  public struct Output: Equatable, Sendable {
    /// To be sent now.
    public var command: CommandPacket?
    /// The new state, when it changed.
    public var state: State?

    public init(command: CommandPacket? = nil, state: State? = nil) {
      self.command = command
      self.state = state
    }
  }

  public private(set) var state = State.off
  /// What the controller said about itself; complete once it is up.
  public private(set) var profile = ControllerProfile()

  /// Whether it scans with the extended commands, or would.
  public var scansExtended: Bool { applied?.isExtended ?? profile.scansExtended }

  private let commandMilliseconds: Int64
  /// Used where the controller has no address of its own.
  private let ownAddress: UInt64
  private var plan: ScanPlan?
  private var planStart = Instant(microseconds: 0)
  /// What the controller scans, and what it has parameters for and does not scan yet.
  private var applied: ScanTarget?
  private var pending: ScanTarget?
  /// What it scanned when it failed.
  private var lost: ScanTarget?
  private var channel = CommandChannel()
  /// When an auto plan changes between active and passive.
  private var phaseEnd: Instant?
  /// The command on its way only asks whether anybody answers.
  private var isProbing = false
  /// How many such commands were answered.
  public private(set) var probesAnswered: UInt64 = 0

  /// A command has two seconds, as in the Linux kernel (HCI_CMD_TIMEOUT). `addressSeed` decides the static random
  /// address that a controller without a public one gets.
  public init(
    commandMilliseconds: Int64 = 2000, addressSeed: Block128 = Block128(high: 0, low: 0)
  ) {
    self.commandMilliseconds = commandMilliseconds
    ownAddress = StaticAddress.bits(seed: addressSeed)
  }

  /// When ``timeout(now:)`` is due, if nothing is received before.
  public var deadline: Instant? { channel.deadline ?? phaseEnd }
}

// MARK: - Inputs

extension ControllerInitializer {
  /// Begins, or begins again: everything known about the controller is forgotten. Without a plan it comes up and does
  /// not scan.
  public mutating func start(_ plan: ScanPlan?, now: Instant) -> Output {
    step { bringup in
      bringup.profile = ControllerProfile()
      bringup.channel = CommandChannel()
      (bringup.applied, bringup.pending, bringup.lost, bringup.phaseEnd) = (nil, nil, nil, nil)
      (bringup.plan, bringup.planStart, bringup.isProbing) = (plan, now, false)
      bringup.prepare(.reset, now)
    }
  }

  /// Another plan; nil ends the scan.
  public mutating func follow(_ plan: ScanPlan?, now: Instant) -> Output {
    step { bringup in
      guard plan != bringup.plan else { return }
      (bringup.plan, bringup.planStart) = (plan, now)
      if bringup.isSettled { bringup.settle(now) }
    }
  }

  /// An event from the controller; those that answer nothing are passed over. LE Meta events, the reports among them,
  /// need not come here at all.
  public mutating func received(_ event: borrowing Event, now: Instant) -> Output {
    let before = state
    if isWorking {
      if let code = event.hardwareErrorCode {
        fail(.hardwareError(code))
      } else if let answer = CommandReply(event) {
        take(answer, now)
      }
    }
    return output(since: before)
  }

  /// The deadline has passed. Called too early it does nothing.
  public mutating func timeout(now: Instant) -> Output {
    step { bringup in
      guard let deadline = bringup.deadline, deadline <= now else { return }
      if let opcode = bringup.channel.opcode {
        bringup.fail(.timeout(opcode))
      } else {
        bringup.settle(now)
      }
    }
  }

  /// Asks a controller that scans something harmless: its answer counts in ``probesAnswered``, none within the command's
  /// time fails as any command does. While another command is on its way there is nothing to ask.
  public mutating func probe(now: Instant) -> Output {
    step { bringup in
      guard case .scanning = bringup.state, bringup.channel.opcode == nil else { return }
      bringup.isProbing = true
      bringup.send(.readLocalVersion, now)
    }
  }

  /// Has a controller that is up end its scan and begin it again, whatever became of the last command.
  public mutating func restartScan(now: Instant) -> Output {
    step { bringup in
      guard let applied = bringup.applied ?? bringup.lost else { return }
      (bringup.channel, bringup.isProbing) = (CommandChannel(), false)
      bringup.enter(.disabling)
      bringup.send(applied.enable(false), now)
    }
  }

  /// The radio is gone or given up: nothing is expected any more.
  public mutating func stop() -> Output {
    step { bringup in
      bringup.channel = CommandChannel()
      (bringup.applied, bringup.pending, bringup.lost, bringup.phaseEnd) = (nil, nil, nil, nil)
      bringup.isProbing = false
      bringup.enter(.off)
    }
  }

  private mutating func step(_ body: (inout Self) -> Void) -> Output {
    let before = state
    body(&self)
    return output(since: before)
  }

  private mutating func output(since before: State) -> Output {
    Output(command: channel.takeOutgoing(), state: state == before ? nil : state)
  }
}

// MARK: - Steps

extension ControllerInitializer {
  /// The only place where the state changes.
  private mutating func enter(_ new: State) { state = new }

  private var isWorking: Bool {
    switch state {
    case .off, .failed: false
    case .preparing, .ready, .configuring, .enabling, .disabling, .scanning: true
    }
  }

  /// Whether no command is on its way, so that another may begin.
  private var isSettled: Bool {
    switch state {
    case .ready, .scanning: !isProbing
    case .off, .preparing, .configuring, .enabling, .disabling, .failed: false
    }
  }

  private mutating func fail(_ error: ControllerInitializerError) {
    channel = CommandChannel()
    (phaseEnd, isProbing) = (nil, false)
    (lost, applied) = (applied, nil)
    enter(.failed(error))
  }

  private mutating func send(_ command: CommandPacket, _ now: Instant) {
    channel.send(command, deadline: now.advanced(milliseconds: commandMilliseconds))
  }

  private mutating func prepare(_ step: ControllerInitializerStep, _ now: Instant) {
    enter(.preparing(step))
    send(step.packet(ownAddress: ownAddress), now)
  }

  private mutating func take(_ answer: borrowing CommandReply, _ now: Instant) {
    guard channel.take(answer) else { return }
    // A command without even a status returned too little.
    guard let status = answer.status else { return fail(.answerCut(answer.opcode)) }
    guard status == .success else { return fail(.refused(answer.opcode, status)) }
    guard !isProbing else {
      isProbing = false
      probesAnswered &+= 1
      return settle(now)
    }
    if case .preparing(let step) = state, !profile.take(answer.returned, of: step) {
      return fail(.answerCut(answer.opcode))
    }
    proceed(now)
  }

  /// The command of the present state was carried out.
  private mutating func proceed(_ now: Instant) {
    switch state {
    case .preparing(let step):
      if let next = step.next(on: profile) { return prepare(next, now) }
      guard profile.scansExtended || profile.knowsLegacyScan else { return fail(.cannotScan) }
      settle(now)
    case .configuring:
      guard let pending else { preconditionFailure("parameters were set for nothing") }
      enter(.enabling)
      send(pending.enable(true), now)
    case .enabling:
      (applied, pending) = (pending, nil)
      settle(now)
    case .disabling:
      applied = nil
      settle(now)
    case .off, .ready, .scanning, .failed: preconditionFailure("nothing was sent in this state")
    }
  }

  /// Goes on to what the plan wants now, or rests when the controller does it already.
  private mutating func settle(_ now: Instant) {
    let wanted = target(now)
    if wanted == applied {
      enter(wanted.map { .scanning(isActive: $0.le1M.kind == .active) } ?? .ready)
    } else if let applied {
      enter(.disabling)
      send(applied.enable(false), now)
    } else if let wanted {
      pending = wanted
      enter(.configuring)
      send(wanted.parameters, now)
    }
  }

  private mutating func target(_ now: Instant) -> ScanTarget? {
    guard let plan else {
      phaseEnd = nil
      return nil
    }
    let phase = plan.phase(at: now.milliseconds(since: planStart))
    phaseEnd = phase.milliseconds.map { now.advanced(milliseconds: $0) }
    return ScanTarget(plan, isActive: phase.isActive, on: profile)
  }
}

/// Why a controller does not scan.
public enum ControllerInitializerError: Error, Equatable, Sendable {
  /// It did not answer the command in time.
  case timeout(Opcode)
  /// It refused the command.
  case refused(Opcode, ErrorCode)
  /// It answered with fewer octets than the command returns.
  case answerCut(Opcode)
  /// It says that something in it broke; the code is its manufacturer's.
  case hardwareError(UInt8)
  /// It knows neither the extended nor the legacy scan commands.
  case cannotScan
}
