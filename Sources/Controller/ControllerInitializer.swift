// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Initializes a controller and keeps it scanning by a plan: reset, capabilities, masks, scan parameters, enable.
///
/// Pure: events, times and plans go in, at most one command comes out of each call. The caller calls ``timeout(now:)``
/// once ``deadline`` has passed. Extended scanning is used if features and supported commands allow it, until the
/// controller refuses it twice after a start: then the legacy commands are used, which it accepts only after another
/// reset. A plan that changes during a scan causes disable, set, enable. After a failure it waits for ``start(_:now:)``.
public struct ControllerInitializer: Sendable {
  public enum State: Equatable, Sendable {
    /// Not started.
    case off
    /// A command of the initialisation waits for its reply.
    case preparing(ControllerInitializerStep)
    /// Initialized; no scan is wanted.
    case ready
    /// Scan parameters wait for their reply.
    case configuring
    case enabling
    case disabling
    case scanning(isActive: Bool)
    case failed(ControllerInitializerError)
  }

  /// The result of a call.
  public typealias Output = ScanOutput<CommandPacket, State>

  public private(set) var state = State.off
  /// The controller's capabilities; complete once it is initialized.
  public private(set) var profile = ControllerProfile()

  /// Whether it scans, or would scan, with the extended commands.
  public var scansExtended: Bool { applied?.isExtended ?? (profile.scansExtended && extendedRefusal == nil) }
  /// Why it scans with the legacy commands although the controller offers the extended ones; nil while it does not.
  public var extendedRefusal: ControllerInitializerError? {
    extended.refusalCount < ExtendedScanning.refusalsMax ? nil : extended.refusal
  }

  private let commandMilliseconds: Int64
  /// The address of a controller that has none of its own.
  private let ownAddress: UInt64
  private var schedule = ScanPlanSchedule()
  /// The active scan, and the one that has parameters but is not enabled yet.
  private var applied: ScanTarget?
  private var pending: ScanTarget?
  /// The active scan before the failure.
  private var lost: ScanTarget?
  private var extended = ExtendedScanning()
  private var channel = CommandChannel()
  /// Whether the pending command only probes the controller.
  private var isProbing = false
  /// The number of probes that got a reply.
  public private(set) var probesAnswered: UInt64 = 0

  /// A command times out after two seconds, as in the Linux kernel (HCI_CMD_TIMEOUT). `addressSeed` determines the
  /// static random address of a controller without a public one.
  public init(
    commandMilliseconds: Int64 = 2000, addressSeed: Block128 = Block128(high: 0, low: 0)
  ) {
    self.commandMilliseconds = commandMilliseconds
    ownAddress = StaticAddress.bits(seed: addressSeed)
  }

  /// The time to call ``timeout(now:)``, unless something is received before.
  public var deadline: Instant? { channel.deadline ?? schedule.phaseEnd }

  /// Starts from the beginning and forgets everything about the controller. Without a plan it is initialized and does
  /// not scan.
  public mutating func start(_ plan: ScanPlan?, now: Instant) -> Output {
    step { initializer in
      (initializer.profile, initializer.extended) = (ControllerProfile(), ExtendedScanning())
      initializer.channel = CommandChannel()
      (initializer.applied, initializer.pending, initializer.lost) = (nil, nil, nil)
      (initializer.schedule, initializer.isProbing) = (ScanPlanSchedule(plan, from: now), false)
      initializer.prepare(.reset, now)
    }
  }

  /// Changes the plan; nil ends the scan.
  public mutating func follow(_ plan: ScanPlan?, now: Instant) -> Output {
    step { initializer in
      guard plan != initializer.schedule.plan else { return }
      initializer.schedule.replacePlan(plan, from: now)
      if initializer.isSettled { initializer.settle(now) }
    }
  }

  /// Receives an event from the controller; events that complete no command are ignored. LE Meta events, among them
  /// advertising reports, need not be passed here.
  public mutating func received(_ event: borrowing Event, now: Instant) -> Output {
    let before = state
    if isWorking {
      if let code = event.hardwareErrorCode {
        fail(.hardwareError(code))
      } else if let reply = CommandReply(event) {
        receiveReply(reply, now)
      }
    }
    return output(since: before)
  }

  /// Handles the deadline; does nothing if called too early.
  public mutating func timeout(now: Instant) -> Output {
    step { initializer in
      guard let deadline = initializer.deadline, deadline <= now else { return }
      if let opcode = initializer.channel.opcode {
        initializer.fail(.timeout(opcode))
      } else {
        initializer.settle(now)
      }
    }
  }

  /// Sends a scanning controller a harmless command. Its reply counts in ``probesAnswered``; a missing reply fails like
  /// any command. Does nothing while another command is pending.
  public mutating func probe(now: Instant) -> Output {
    step { initializer in
      guard case .scanning = initializer.state, initializer.channel.opcode == nil else { return }
      initializer.isProbing = true
      initializer.send(.readLocalVersion, now)
    }
  }

  /// Restarts the scan of an initialized controller, whatever the result of the last command.
  public mutating func restartScan(now: Instant) -> Output {
    step { initializer in
      guard let applied = initializer.applied ?? initializer.lost else { return }
      (initializer.channel, initializer.isProbing) = (CommandChannel(), false)
      initializer.state = .disabling
      initializer.send(applied.enable(false), now)
    }
  }

  /// Stops: the radio is gone or no longer used.
  public mutating func stop() -> Output {
    step { initializer in
      initializer.channel = CommandChannel()
      (initializer.applied, initializer.pending, initializer.lost) = (nil, nil, nil)
      initializer.schedule.suspend()
      initializer.isProbing = false
      initializer.state = .off
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

  private var isWorking: Bool { if case .failed = state { false } else { state != .off } }

  /// Whether no command is pending, so that another may be sent.
  private var isSettled: Bool {
    switch state {
    case .ready, .scanning: !isProbing
    case .off, .preparing, .configuring, .enabling, .disabling, .failed: false
    }
  }

  private mutating func fail(_ error: ControllerInitializerError) {
    channel = CommandChannel()
    schedule.suspend()
    isProbing = false
    (lost, applied) = (applied, nil)
    state = .failed(error)
  }

  private mutating func send(_ command: CommandPacket, _ now: Instant) {
    channel.send(command, deadline: now.advanced(milliseconds: commandMilliseconds))
  }

  private mutating func prepare(_ step: ControllerInitializerStep, _ now: Instant) {
    state = .preparing(step)
    send(step.packet(ownAddress: ownAddress), now)
  }

  private mutating func receiveReply(_ reply: borrowing CommandReply, _ now: Instant) {
    guard channel.receiveReply(reply) else { return }
    // A reply without a status is truncated.
    guard let status = reply.status else { return fail(.replyTruncated(reply.opcode)) }
    guard status == .success else { return receiveRefusal(.refused(reply.opcode, status), now) }
    guard !isProbing else {
      isProbing = false
      probesAnswered &+= 1
      return settle(now)
    }
    if case .preparing(let step) = state, !profile.receive(reply.returned, of: step) {
      return fail(.replyTruncated(reply.opcode))
    }
    continueAfterSuccess(now)
  }

  /// A controller that does not do what it offers is reset and tried again; another refusal is a failure.
  private mutating func receiveRefusal(_ error: ControllerInitializerError, _ now: Instant) {
    guard error.isRefusalOfExtendedScan, state == .configuring || state == .enabling,
      profile.knowsLegacyScan, !extended.hasWorked
    else { return fail(error) }
    extended.refusalCount += 1
    extended.refusal = error
    pending = nil
    prepare(.reset, now)
  }

  /// Continues after the command of the current state succeeded.
  private mutating func continueAfterSuccess(_ now: Instant) {
    switch state {
    case .preparing(let step):
      if let next = step.next(on: profile) { return prepare(next, now) }
      guard profile.scansExtended || profile.knowsLegacyScan else { return fail(.cannotScan) }
      settle(now)
    case .configuring:
      guard let pending else { preconditionFailure("no scan waits for the parameters that were set") }
      state = .enabling
      send(pending.enable(true), now)
    case .enabling:
      (applied, pending) = (pending, nil)
      if applied?.isExtended == true { extended.hasWorked = true }
      settle(now)
    case .disabling:
      applied = nil
      settle(now)
    case .off, .ready, .scanning, .failed: preconditionFailure("no command is pending in this state")
    }
  }

  /// Sends the next command towards the scan that the plan wants, if any is needed.
  private mutating func settle(_ now: Instant) {
    let wanted = target(now)
    if wanted == applied {
      state = wanted.map { .scanning(isActive: $0.le1M.kind == .active) } ?? .ready
    } else if let applied {
      state = .disabling
      send(applied.enable(false), now)
    } else if let wanted {
      pending = wanted
      state = .configuring
      send(wanted.parameters, now)
    }
  }

  private mutating func target(_ now: Instant) -> ScanTarget? {
    schedule.update(at: now)
    guard var plan = schedule.plan else { return nil }
    if extendedRefusal != nil { plan.usesExtendedScanning = false }
    return ScanTarget(plan, isActive: schedule.isActive, on: profile)
  }
}

/// How extended scanning fared since the start.
private struct ExtendedScanning: Sendable {
  /// After this many refusals the legacy commands are used.
  static let refusalsMax = 2

  /// Once it has worked, a refusal is a failure like others.
  var hasWorked = false
  var refusalCount = 0
  var refusal: ControllerInitializerError?
}

/// Why a controller does not scan.
public enum ControllerInitializerError: Error, Equatable, Sendable {
  /// The controller did not reply to the command in time.
  case timeout(Opcode)
  /// The controller refused the command.
  case refused(Opcode, ErrorCode)
  /// The reply has fewer bytes than the command returns.
  case replyTruncated(Opcode)
  /// The controller reported a hardware error, with a code of its manufacturer.
  case hardwareError(UInt8)
  /// The controller supports neither the extended nor the legacy scan commands.
  case cannotScan

  /// Whether the controller refused a command of extended scanning.
  public var isRefusalOfExtendedScan: Bool {
    guard case .refused(let opcode, _) = self else { return false }
    return opcode == .leSetExtendedScanParameters || opcode == .leSetExtendedScanEnable
  }
}
