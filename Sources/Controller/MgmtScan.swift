// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Scans beside others by asking the kernel to: an advertisement monitor of ours makes it scan all the time, discovery
/// makes it scan actively, for the same share of time. No HCI scan command is ours.
///
/// Pure: messages, times and plans go in, at most one command comes out of each step. What is known of the adapter is
/// held against what is wanted; the first difference makes a command, and its answer is looked at the same way. So it
/// does not matter who changed what: a monitor that a starting bluetoothd removed is added again. An adapter that is
/// off is switched on once, at the start; if somebody switches it off later, that is their word until they switch it
/// on.
public struct MgmtScan: Sendable {
  public enum State: Equatable, Sendable {
    /// Nothing was begun.
    case off
    /// A command waits for its answer.
    case preparing
    /// Somebody switched the adapter off.
    case switchedOff
    /// Up, and no scan is wanted.
    case ready
    case scanning(isActive: Bool)
    case failed(MgmtScanError)
  }

  /// What a step asks for.
  public struct Output: Equatable, Sendable {
    public var command: MgmtCommand?
    /// The new state, when it changed.
    public var state: State?
  }

  /// Somebody else discovers; so long it is not asked for again.
  static let busyMilliseconds: Int64 = 5000

  public private(set) var state = State.off
  /// The adapter's public address; 0 while it is not known.
  public private(set) var address: UInt64 = 0
  /// Whether the kernel has monitors. Where it has none discovery has to do, which passes each device on only once a
  /// while.
  public private(set) var hasMonitors = true

  private let index: UInt16
  private let commandMilliseconds: Int64
  private var plan: ScanPlan?
  private var planStart = Instant(microseconds: 0)
  private var phaseEnd: Instant?
  private var isActiveWanted = false

  private var awaited: MgmtCommand?
  private var answerDeadline: Instant?
  private var outgoing: MgmtCommand?

  // What is known of the adapter.
  private var settings: AdapterSettings?
  private var mayBeSwitchedOn = true
  private var hasDefaults = true
  private var hasReadDefaults = false
  /// How the kernel scanned before we came.
  private var originalDuty: KernelDuty?
  private var duty: KernelDuty?
  /// Likewise while it discovers; ours only as long as we do, since others' discoveries are none of our business.
  private var originalDiscovery: KernelDuty?
  private var discovery: KernelDuty?
  private var monitor: UInt16?
  /// It is to be removed and added again.
  private var isMonitorStale = false
  private var isDiscovering = false
  private var isOurDiscovery = false
  private var discoveryRetry: Instant?

  /// The kernel itself gives a controller two seconds for a command, and powering on takes many.
  ///
  /// `remains` is what an agent that was killed has left in this adapter.
  public init(
    index: UInt16, remains: KernelScanState = KernelScanState(), commandMilliseconds: Int64 = 10_000
  ) {
    self.index = index
    self.commandMilliseconds = commandMilliseconds
    monitor = remains.monitor
    originalDuty = remains.originalDuty
    originalDiscovery = remains.originalDiscovery
  }

  /// What is left in the kernel, should we be killed now.
  public var remains: KernelScanState {
    KernelScanState(
      monitor: monitor, originalDuty: duty == originalDuty ? nil : originalDuty,
      originalDiscovery: discovery == originalDiscovery ? nil : originalDiscovery)
  }

  /// When ``timeout(now:)`` is due, if nothing is received before.
  public var deadline: Instant? {
    if let answerDeadline { return answerDeadline }
    return [phaseEnd, isDiscovering ? nil : discoveryRetry].compactMap { $0 }.min()
  }
}

/// Why an adapter does not scan for us.
public enum MgmtScanError: Error, Equatable, Sendable {
  case timeout(MgmtOpcode)
  case refused(MgmtOpcode, MgmtStatus)
  case answerCut(MgmtOpcode)
  /// rfkill.
  case blocked
  /// CAP_NET_ADMIN is missing.
  case permissionDenied
  /// It knows no LE.
  case withoutLowEnergy
  /// The kernel knows the adapter no more: it was unplugged, or another program has it for itself.
  case gone
}

// MARK: - Inputs

extension MgmtScan {
  /// Begins, or begins again: nothing is taken as known, and a monitor that we have left in the kernel is made anew, since
  /// the kernel may have tried in vain to scan for it.
  public mutating func start(_ plan: ScanPlan?, now: Instant) -> Output {
    step(now) { scan in
      (scan.awaited, scan.answerDeadline, scan.outgoing) = (nil, nil, nil)
      (scan.settings, scan.mayBeSwitchedOn, scan.discoveryRetry) = (nil, true, nil)
      (scan.isDiscovering, scan.isOurDiscovery) = (false, false)
      (scan.plan, scan.planStart) = (plan, now)
      (scan.state, scan.isMonitorStale) = (.preparing, scan.monitor != nil)
    }
  }

  /// Begins again with a new monitor, so that the kernel gives its controller the scan anew.
  public mutating func restart(now: Instant) -> Output {
    step(now) { scan in
      (scan.awaited, scan.answerDeadline, scan.outgoing) = (nil, nil, nil)
      scan.state = .preparing
      scan.isMonitorStale = scan.monitor != nil
    }
  }

  /// Another plan; nil ends the scan.
  public mutating func follow(_ plan: ScanPlan?, now: Instant) -> Output {
    step(now) { scan in
      guard plan != scan.plan else { return }
      (scan.plan, scan.planStart) = (plan, now)
    }
  }

  public mutating func received(_ event: MgmtEvent, now: Instant) -> Output {
    guard event.index == index else { return Output() }
    guard isWorking else { return Output() }
    return step(now) { $0.take(event.content, now) }
  }

  /// The deadline has passed. Called too early it does nothing.
  public mutating func timeout(now: Instant) -> Output {
    step(now) { scan in
      guard let end = scan.answerDeadline, end <= now, let awaited = scan.awaited else { return }
      scan.fail(.timeout(awaited.opcode))
    }
  }

  /// The adapter is gone: nothing of ours is left in it.
  public mutating func stop() {
    self = MgmtScan(index: index, commandMilliseconds: commandMilliseconds)
  }

  /// What takes back what was asked of the kernel, in this order.
  public var farewell: [MgmtCommand] {
    var commands: [MgmtCommand] = []
    if isDiscovering && isOurDiscovery { commands.append(.stopDiscovery(index)) }
    if let monitor { commands.append(.removeMonitor(monitor, index)) }
    if let originalDuty, duty != originalDuty {
      commands.append(.setDefaults(originalDuty, for: .monitors, index))
    }
    if let originalDiscovery, discovery != originalDiscovery {
      commands.append(.setDefaults(originalDiscovery, for: .discovery, index))
    }
    return commands
  }

  private mutating func step(_ now: Instant, _ body: (inout Self) -> Void) -> Output {
    let before = state
    body(&self)
    if isWorking, awaited == nil { settle(now) }
    return Output(command: outgoing.take(), state: state == before ? nil : state)
  }

  private var isWorking: Bool {
    switch state {
    case .off, .failed: false
    case .preparing, .switchedOff, .ready, .scanning: true
    }
  }
}

// MARK: - What happens

extension MgmtScan {
  private mutating func take(_ content: MgmtEvent.Content, _ now: Instant) {
    switch content {
    case .completed(let opcode, let status, let returned):
      guard let command = awaited, command.opcode == opcode else { return }
      (awaited, answerDeadline) = (nil, nil)
      take(status, returned, of: command, now)
    case .settings(let settings): take(settings)
    case .discovering(let isOn):
      isDiscovering = isOn
      if !isOn { (isOurDiscovery, discoveryRetry) = (false, nil) }
    case .monitorRemoved(let handle):
      if handle == 0 || handle == monitor { forgetMonitor() }
    case .removed:
      // With it went what was asked of it.
      (monitor, isOurDiscovery) = (nil, false)
      (originalDuty, duty, originalDiscovery, discovery) = (nil, nil, nil, nil)
      fail(.gone)
    case .added, .other: break
    }
  }

  private mutating func forgetMonitor() { (monitor, isMonitorStale) = (nil, false) }

  private mutating func take(_ new: AdapterSettings) {
    if settings?.contains(.powered) == true, !new.contains(.powered) {
      mayBeSwitchedOn = false
      (isDiscovering, isOurDiscovery) = (false, false)
    }
    settings = new
  }

  private mutating func take(
    _ status: MgmtStatus, _ returned: [UInt8], of command: MgmtCommand, _ now: Instant
  ) {
    guard status == .success else { return takeRefusal(status, of: command, now) }
    switch command.opcode {
    case .readControllerInformation:
      guard let information = ControllerInformation(returned) else { return fail(.answerCut(command.opcode)) }
      address = information.address
      guard information.supported.contains(.lowEnergy) else { return fail(.withoutLowEnergy) }
      settings = information.current
    case .setPowered, .setLowEnergy:
      guard returned.count >= 4 else { return fail(.answerCut(command.opcode)) }
      settings = AdapterSettings(rawValue: returned.span.rawBytes.uint32(at: 0))
    case .readDefaultSystemConfiguration:
      hasReadDefaults = true
      originalDuty = originalDuty ?? KernelDuty(returned, for: .monitors)
      discovery = KernelDuty(returned, for: .discovery)
      originalDiscovery = originalDiscovery ?? discovery
      // A kernel that does not tell how it scans for monitors cannot be told either.
      if originalDuty == nil { hasDefaults = false }
    case .setDefaultSystemConfiguration:
      // It is asked for in the words in which it is told.
      duty = KernelDuty(command.parameters, for: .monitors) ?? duty
      discovery = KernelDuty(command.parameters, for: .discovery) ?? discovery
    case .addMonitor:
      guard returned.count >= 2 else { return fail(.answerCut(command.opcode)) }
      monitor = returned.span.rawBytes.uint16(at: 0)
    case .removeMonitor: forgetMonitor()
    case .startDiscovery: (isDiscovering, isOurDiscovery) = (true, true)
    case .stopDiscovery: (isDiscovering, isOurDiscovery) = (false, false)
    default: break
    }
  }

  private mutating func takeRefusal(
    _ status: MgmtStatus, of command: MgmtCommand, _ now: Instant
  ) {
    switch (command.opcode, status) {
    case (_, .permissionDenied): fail(.permissionDenied)
    case (_, .blocked): fail(.blocked)
    case (_, .invalidIndex): fail(.gone)
    case (.startDiscovery, _) where status != .notPowered:
      // Others have it; theirs scans as well.
      discoveryRetry = now.advanced(milliseconds: Self.busyMilliseconds)
    case (.stopDiscovery, _): isOurDiscovery = false
    // It was removed by somebody.
    case (.removeMonitor, _): forgetMonitor()
    case (.readDefaultSystemConfiguration, _), (.setDefaultSystemConfiguration, _): hasDefaults = false
    case (.addMonitor, .unknownCommand), (.addMonitor, .notSupported): hasMonitors = false
    case (_, .notPowered): settings?.remove(.powered)
    default: fail(.refused(command.opcode, status))
    }
  }

  private mutating func fail(_ error: MgmtScanError) {
    (awaited, answerDeadline, outgoing, phaseEnd) = (nil, nil, nil, nil)
    state = .failed(error)
  }
}

// MARK: - What is wanted

extension MgmtScan {
  private var wantedDuty: KernelDuty? {
    plan.map { plan in
      let parameters = plan.parameters(.passive)
      return KernelDuty(interval: parameters.interval, window: parameters.window)
    }
  }

  private mutating func settle(_ now: Instant) {
    if let retry = discoveryRetry, retry <= now { discoveryRetry = nil }
    if let plan {
      let phase = plan.phase(at: now.milliseconds(since: planStart))
      phaseEnd = phase.milliseconds.map { now.advanced(milliseconds: $0) }
      isActiveWanted = phase.isActive
    } else {
      (phaseEnd, isActiveWanted) = (nil, false)
    }
    if let command = nextCommand {
      send(command, now)
    } else if settings?.contains(.powered) != true {
      state = .switchedOff
    } else {
      state = plan == nil ? .ready : .scanning(isActive: isDiscovering)
    }
  }

  /// What takes the first difference away; nil when there is none that we may take away.
  private var nextCommand: MgmtCommand? {
    guard let settings else { return .readInformation(index) }
    guard settings.contains(.lowEnergy) else { return .setLowEnergy(true, index) }
    guard settings.contains(.powered) else { return mayBeSwitchedOn ? .setPowered(true, index) : nil }
    guard let wantedDuty else { return nextDiscovery ?? monitor.map { .removeMonitor($0, index) } }
    if hasDefaults {
      guard hasReadDefaults else { return .readDefaults(index) }
      // The kernel takes it up when it begins to scan.
      if duty != wantedDuty {
        return monitor.map { .removeMonitor($0, index) } ?? .setDefaults(wantedDuty, for: .monitors, index)
      }
    }
    if let monitor {
      if isMonitorStale { return .removeMonitor(monitor, index) }
    } else if hasMonitors {
      return .addMonitor(index)
    }
    return nextDiscovery
  }

  private var nextDiscovery: MgmtCommand? {
    if let wantedDuty, isActiveWanted || !hasMonitors {
      guard !isDiscovering || (isOurDiscovery && needs(wantedDuty)) else { return nil }
      guard !isDiscovering else { return .stopDiscovery(index) }
      guard discoveryRetry == nil else { return nil }
      return needs(wantedDuty) ? .setDefaults(wantedDuty, for: .discovery, index) : .startDiscovery(index)
    }
    if isDiscovering && isOurDiscovery { return .stopDiscovery(index) }
    guard let originalDiscovery, needs(originalDiscovery) else { return nil }
    return .setDefaults(originalDiscovery, for: .discovery, index)
  }

  /// Whether the kernel would discover in another way, and can be told.
  private func needs(_ wanted: KernelDuty) -> Bool {
    hasDefaults && originalDiscovery != nil && discovery != wanted
  }

  private mutating func send(_ command: MgmtCommand, _ now: Instant) {
    (awaited, outgoing) = (command, command)
    answerDeadline = now.advanced(milliseconds: commandMilliseconds)
    // A scan whose parameters change is on all the while.
    switch state {
    case .scanning: break
    case .off, .preparing, .switchedOff, .ready, .failed: state = .preparing
    }
  }
}

/// What a scan leaves in an adapter when it is not ended: nobody else takes it back.
public struct KernelScanState: Equatable, Sendable {
  /// Our advertisement monitor, for which the kernel scans.
  public var monitor: UInt16?
  /// How the kernel scanned for monitors before we changed it.
  public var originalDuty: KernelDuty?
  /// How the kernel scanned while it discovered, likewise.
  public var originalDiscovery: KernelDuty?
  /// The adapter was up before it was taken for us alone.
  public var wasUp: Bool

  public init(
    monitor: UInt16? = nil, originalDuty: KernelDuty? = nil, originalDiscovery: KernelDuty? = nil,
    wasUp: Bool = false
  ) {
    self.monitor = monitor
    self.originalDuty = originalDuty
    self.originalDiscovery = originalDiscovery
    self.wasUp = wasUp
  }

  public var isEmpty: Bool { self == KernelScanState() }
}
