// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Scans an adapter that other programs use too: the kernel scans all the time for an advertisement monitor, and scans
/// actively, for the same share of time, during discovery. In this mode the agent never sends HCI scan commands.
///
/// Pure: messages, times and plans go in, at most one command comes out of each call. The known state of the adapter is
/// compared with the wanted one; the first difference causes a command, and its reply is followed by the next
/// comparison. So it does not matter which program changed the state: a monitor that a starting bluetoothd removed is
/// added again. An adapter that is off is powered on once, at the start; if another program powers it off later, it
/// stays off until it is powered on.
public struct MgmtScan: Sendable {
  public enum State: Equatable, Sendable {
    /// Not started.
    case off
    /// A command waits for its reply.
    case preparing
    /// Another program powered the adapter off.
    case switchedOff
    /// Initialized; no scan is wanted.
    case ready
    case scanning(isActive: Bool)
    case failed(MgmtScanError)
  }

  /// The result of a call.
  public struct Output: Equatable, Sendable {
    public var command: MgmtCommand?
    /// The new state, if it changed.
    public var state: State?
  }

  /// How long to wait before discovery is requested again, while another program discovers.
  static let busyMilliseconds: Int64 = 5000

  public private(set) var state = State.off
  /// The adapter's public address; 0 while it is not known.
  public private(set) var address: UInt64 = 0
  /// Whether the kernel has monitors. Without them discovery is used, which reports each device only occasionally.
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

  // The known state of the adapter.
  private var settings: AdapterSettings?
  private var mayBeSwitchedOn = true
  private var hasDefaults = true
  private var hasReadDefaults = false
  /// How the kernel scanned for monitors before the agent changed it.
  private var originalDuty: KernelDuty?
  private var duty: KernelDuty?
  /// Likewise for discovery; changed only during the agent's own discovery, so that those of other programs are
  /// unaffected.
  private var originalDiscovery: KernelDuty?
  private var discovery: KernelDuty?
  private var monitor: UInt16?
  /// Whether the monitor must be removed and added again.
  private var isMonitorStale = false
  private var isDiscovering = false
  private var isOurDiscovery = false
  private var discoveryRetry: Instant?

  /// The default timeout allows for powering on: the kernel allows a controller two seconds for each of many commands.
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

  /// The time to call ``timeout(now:)``, unless something is received before.
  public var deadline: Instant? {
    if let answerDeadline { return answerDeadline }
    return [phaseEnd, isDiscovering ? nil : discoveryRetry].compactMap { $0 }.min()
  }
}

/// Why an adapter does not scan.
public enum MgmtScanError: Error, Equatable, Sendable {
  case timeout(MgmtOpcode)
  case refused(MgmtOpcode, MgmtStatus)
  case answerCut(MgmtOpcode)
  /// rfkill blocks the adapter.
  case blocked
  /// CAP_NET_ADMIN is missing.
  case permissionDenied
  /// The adapter does not support LE.
  case withoutLowEnergy
  /// The kernel no longer has the adapter: it was unplugged, or another program uses it exclusively.
  case gone
}

// MARK: - Inputs

extension MgmtScan {
  /// Starts from the beginning: no state is assumed, and a monitor that is still in the kernel is replaced, because the
  /// kernel may have failed to scan for it.
  public mutating func start(_ plan: ScanPlan?, now: Instant) -> Output {
    step(now) { scan in
      (scan.awaited, scan.answerDeadline, scan.outgoing) = (nil, nil, nil)
      (scan.settings, scan.mayBeSwitchedOn, scan.discoveryRetry) = (nil, true, nil)
      (scan.isDiscovering, scan.isOurDiscovery) = (false, false)
      (scan.plan, scan.planStart) = (plan, now)
      (scan.state, scan.isMonitorStale) = (.preparing, scan.monitor != nil)
    }
  }

  /// Replaces the monitor, so that the kernel starts the controller's scan again.
  public mutating func restart(now: Instant) -> Output {
    step(now) { scan in
      (scan.awaited, scan.answerDeadline, scan.outgoing) = (nil, nil, nil)
      scan.state = .preparing
      scan.isMonitorStale = scan.monitor != nil
    }
  }

  /// Changes the plan; nil ends the scan.
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

  /// Handles the deadline; does nothing if called too early.
  public mutating func timeout(now: Instant) -> Output {
    step(now) { scan in
      guard let end = scan.answerDeadline, end <= now, let awaited = scan.awaited else { return }
      scan.fail(.timeout(awaited.opcode))
    }
  }

  /// Stops: the adapter is gone, with all state in it.
  public mutating func stop() {
    self = MgmtScan(index: index, commandMilliseconds: commandMilliseconds)
  }

  /// The commands that restore the kernel's state, in this order.
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
      // The state in the kernel went with the adapter.
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
      // A kernel that does not report how it scans for monitors does not let it be set either.
      if originalDuty == nil { hasDefaults = false }
    case .setDefaultSystemConfiguration:
      // The command's parameters have the same form as the reply to the read command.
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
      // Another program discovers; its discovery scans as well.
      discoveryRetry = now.advanced(milliseconds: Self.busyMilliseconds)
    case (.stopDiscovery, _): isOurDiscovery = false
    // Another program removed it.
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

  /// The command that removes the first difference; nil if there is none that the agent may remove.
  private var nextCommand: MgmtCommand? {
    guard let settings else { return .readInformation(index) }
    guard settings.contains(.lowEnergy) else { return .setLowEnergy(true, index) }
    guard settings.contains(.powered) else { return mayBeSwitchedOn ? .setPowered(true, index) : nil }
    guard let wantedDuty else { return nextDiscovery ?? monitor.map { .removeMonitor($0, index) } }
    if hasDefaults {
      guard hasReadDefaults else { return .readDefaults(index) }
      // The kernel applies it when it begins to scan.
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

  /// Whether the kernel would discover with another duty, and the duty can be set.
  private func needs(_ wanted: KernelDuty) -> Bool {
    hasDefaults && originalDiscovery != nil && discovery != wanted
  }

  private mutating func send(_ command: MgmtCommand, _ now: Instant) {
    (awaited, outgoing) = (command, command)
    answerDeadline = now.advanced(milliseconds: commandMilliseconds)
    // A scan stays on while its parameters change.
    switch state {
    case .scanning: break
    case .off, .preparing, .switchedOff, .ready, .failed: state = .preparing
    }
  }
}

/// The state that a scan leaves in the kernel if it is not ended properly; only the agent restores it.
public struct KernelScanState: Equatable, Sendable {
  /// The agent's advertisement monitor, for which the kernel scans.
  public var monitor: UInt16?
  /// How the kernel scanned for monitors before the agent changed it.
  public var originalDuty: KernelDuty?
  /// How the kernel scanned while it discovered, likewise.
  public var originalDiscovery: KernelDuty?
  /// Whether the adapter was up before the agent took it exclusively.
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
