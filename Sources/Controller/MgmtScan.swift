// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Scans an adapter that other programs use too: the kernel scans all the time for an advertisement monitor, and scans
/// actively, for the same share of time, during discovery. In this mode the agent never sends HCI scan commands.
///
/// Pure: messages, times and plans go in, at most one command comes out of each call. The known state of the adapter is
/// compared with the wanted one; the first difference causes a command, and its reply is followed by the next
/// comparison. So it does not matter which program changed the state: a monitor that a starting bluetoothd removed is
/// added again. If the agent may, an adapter that is off is powered on at the start, and by ``powerOn(now:)``; one that
/// another program powers off stays off.
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
  public typealias Output = ScanOutput<MgmtCommand, State>

  /// How long to wait before discovery is requested again, while another program discovers.
  static let busyMilliseconds: Int64 = 5000

  /// The agent's advertisement monitor in the kernel.
  private struct Monitor: Sendable {
    var handle: UInt16?
    /// Whether it must be removed and added again.
    var isStale = false
    /// Whether the kernel has monitors.
    var isSupported = true

    mutating func forget() { (handle, isStale) = (nil, false) }
  }

  /// The kernel's discovery, whichever program requested it.
  private struct Discovery: Sendable {
    var isRunning = false
    var wasStartedByAgent = false
    /// The time to request it again, after another program's discovery was in the way.
    var retry: Instant?

    mutating func noteRunning(wasStartedByAgent: Bool) {
      (isRunning, self.wasStartedByAgent) = (true, wasStartedByAgent)
    }
    mutating func noteStopped() { (isRunning, wasStartedByAgent) = (false, false) }
  }

  public private(set) var state = State.off
  /// The adapter's public address; 0 while it is not known.
  public private(set) var address: UInt64 = 0

  private let index: UInt16
  /// Whether the agent may power the adapter on.
  public let powersOn: Bool
  private let commandMilliseconds: Int64
  private var schedule = ScanPlanSchedule()
  private var channel = MgmtCommandChannel()

  // The known state of the adapter.
  private var settings: AdapterSettings?
  private var mayBePoweredOn = true
  private var duties: KernelDuties
  private var monitor = Monitor()
  private var discovery = Discovery()

  /// The default timeout allows for powering on: the kernel allows a controller two seconds for each of many commands.
  ///
  /// `kernelScanState` is what an agent that was killed has left in this adapter.
  public init(
    index: UInt16, kernelScanState: KernelScanState = KernelScanState(), powersOn: Bool = true,
    commandMilliseconds: Int64 = 10_000
  ) {
    (self.index, self.powersOn, self.commandMilliseconds) = (index, powersOn, commandMilliseconds)
    monitor.handle = kernelScanState.monitor
    duties = KernelDuties(kernelScanState)
  }

  /// Whether the kernel has monitors. Without them discovery is used, which reports each device only occasionally.
  public var hasMonitors: Bool { monitor.isSupported }

  /// What the agent would leave in the kernel if it were killed now.
  public var kernelScanState: KernelScanState {
    KernelScanState(
      monitor: monitor.handle, originalDuty: duties.changedMonitors,
      originalDiscovery: duties.changedDiscovery)
  }

  /// The time to call ``timeout(now:)``, unless something is received before.
  public var deadline: Instant? {
    if let deadline = channel.deadline { return deadline }
    return [schedule.phaseEnd, discovery.isRunning ? nil : discovery.retry].compactMap { $0 }.min()
  }

  /// Starts from the beginning: no state is assumed, and a monitor that is still in the kernel is replaced, because the
  /// kernel may have failed to scan for it.
  public mutating func start(_ plan: ScanPlan?, now: Instant) -> Output {
    step(now) { scan in
      scan.schedule = ScanPlanSchedule(plan, from: now)
      (scan.settings, scan.mayBePoweredOn, scan.discovery) = (nil, scan.powersOn, Discovery())
      scan.replaceMonitor()
    }
  }

  /// Replaces the monitor, so that the kernel starts the controller's scan again.
  public mutating func restart(now: Instant) -> Output {
    step(now) { $0.replaceMonitor() }
  }

  /// Changes the plan; nil ends the scan.
  public mutating func follow(_ plan: ScanPlan?, now: Instant) -> Output {
    step(now) { scan in
      if plan != scan.schedule.plan { scan.schedule.replacePlan(plan, from: now) }
    }
  }

  /// Powers the adapter on that another program has powered off.
  public mutating func powerOn(now: Instant) -> Output {
    step(now) { $0.mayBePoweredOn = $0.powersOn }
  }

  /// Receives an event of the management interface; events of other adapters are ignored.
  public mutating func received(_ event: MgmtEvent, now: Instant) -> Output {
    guard event.index == index else { return Output() }
    guard isWorking else { return Output() }
    return step(now) { $0.receiveContent(event.content, now) }
  }

  /// Handles the deadline; does nothing if called too early.
  public mutating func timeout(now: Instant) -> Output {
    step(now) { scan in
      guard let end = scan.channel.deadline, end <= now, let command = scan.channel.pending else { return }
      scan.fail(.timeout(command.opcode))
    }
  }

  /// Stops: the adapter is gone, with all state in it.
  public mutating func stop() {
    self = MgmtScan(index: index, powersOn: powersOn, commandMilliseconds: commandMilliseconds)
  }

  /// The commands that restore the kernel's state, in this order.
  public var restoringCommands: [MgmtCommand] {
    var commands: [MgmtCommand] = []
    if discovery.isRunning && discovery.wasStartedByAgent { commands.append(.stopDiscovery(index)) }
    if let handle = monitor.handle { commands.append(.removeMonitor(handle, index)) }
    if let duty = duties.changedMonitors { commands.append(.setDefaults(duty, for: .monitors, index)) }
    if let duty = duties.changedDiscovery { commands.append(.setDefaults(duty, for: .discovery, index)) }
    return commands
  }

  private mutating func step(_ now: Instant, _ body: (inout Self) -> Void) -> Output {
    let before = state
    body(&self)
    if isWorking, channel.pending == nil { settle(now) }
    return Output(command: channel.takeOutgoing(), state: state == before ? nil : state)
  }

  private mutating func replaceMonitor() {
    channel = MgmtCommandChannel()
    state = .preparing
    monitor.isStale = monitor.handle != nil
  }

  private var isWorking: Bool { if case .failed = state { false } else { state != .off } }

  private mutating func receiveContent(_ content: MgmtEvent.Content, _ now: Instant) {
    switch content {
    case .completed(let opcode, let status, let returned):
      guard let command = channel.complete(opcode) else { return }
      if status == .success {
        receiveSuccess(returned, of: command)
      } else {
        receiveRefusal(status, of: command, now)
      }
    case .settings(let settings): receiveSettings(settings)
    case .discovering(true): discovery.isRunning = true
    case .discovering(false): discovery = Discovery()
    case .monitorRemoved(let handle):
      if handle == 0 || handle == monitor.handle { monitor.forget() }
    case .removed:
      // The state in the kernel went with the adapter.
      (monitor.handle, discovery.wasStartedByAgent) = (nil, false)
      duties.forgetAll()
      fail(.gone)
    case .added, .disconnected, .bond, .other: break
    }
  }

  private mutating func receiveSettings(_ new: AdapterSettings) {
    if settings?.contains(.powered) == true, !new.contains(.powered) {
      mayBePoweredOn = false
      discovery.noteStopped()
    }
    settings = new
  }

  private mutating func receiveSuccess(_ returned: [UInt8], of command: MgmtCommand) {
    switch command.opcode {
    case .readControllerInformation:
      guard let information = ControllerInformation(returned) else {
        return fail(.replyTruncated(command.opcode))
      }
      address = information.address
      guard information.supported.contains(.lowEnergy) else { return fail(.withoutLowEnergy) }
      settings = information.current
    case .setPowered, .setLowEnergy:
      guard let current = AdapterSettings(returned) else { return fail(.replyTruncated(command.opcode)) }
      settings = current
    case .readDefaultSystemConfiguration: duties.receiveDefaults(returned)
    case .setDefaultSystemConfiguration: duties.noteSet(command.parameters)
    case .addMonitor:
      var cursor = ByteCursor(returned.span.rawBytes)
      guard let handle = cursor.uint16() else { return fail(.replyTruncated(command.opcode)) }
      monitor.handle = handle
    case .removeMonitor: monitor.forget()
    case .startDiscovery: discovery.noteRunning(wasStartedByAgent: true)
    case .stopDiscovery: discovery.noteStopped()
    default: break
    }
  }

  private mutating func receiveRefusal(_ status: MgmtStatus, of command: MgmtCommand, _ now: Instant) {
    switch (command.opcode, status) {
    case (_, .permissionDenied): fail(.permissionDenied)
    case (_, .blocked): fail(.blocked)
    case (_, .invalidIndex): fail(.gone)
    case (.startDiscovery, _) where status != .notPowered:
      // Another program discovers; its discovery scans as well.
      discovery.retry = now.advanced(milliseconds: Self.busyMilliseconds)
    case (.stopDiscovery, _): discovery.wasStartedByAgent = false
    // Another program removed it.
    case (.removeMonitor, _): monitor.forget()
    case (.readDefaultSystemConfiguration, _), (.setDefaultSystemConfiguration, _): duties.noteRefusal()
    case (.addMonitor, .unknownCommand), (.addMonitor, .notSupported): monitor.isSupported = false
    case (_, .notPowered): settings?.remove(.powered)
    default: fail(.refused(command.opcode, status))
    }
  }

  private mutating func fail(_ error: MgmtScanError) {
    channel = MgmtCommandChannel()
    schedule.suspend()
    state = .failed(error)
  }

  private var wantedDuty: KernelDuty? {
    schedule.plan.map { plan in
      let parameters = plan.parameters(.passive)
      return KernelDuty(interval: parameters.interval, window: parameters.window)
    }
  }

  private mutating func settle(_ now: Instant) {
    if let retry = discovery.retry, retry <= now { discovery.retry = nil }
    schedule.update(at: now)
    if let command = nextCommand {
      send(command, now)
    } else if settings?.contains(.powered) != true {
      state = .switchedOff
    } else {
      state = schedule.plan == nil ? .ready : .scanning(isActive: discovery.isRunning)
    }
  }

  /// The command that removes the first difference; nil if there is none that the agent may remove.
  private var nextCommand: MgmtCommand? {
    guard let settings else { return .readInformation(index) }
    guard settings.contains(.lowEnergy) else { return .set(.setLowEnergy, to: true, index) }
    guard settings.contains(.powered) else {
      return mayBePoweredOn ? .set(.setPowered, to: true, index) : nil
    }
    guard let wantedDuty else { return nextDiscovery ?? monitor.handle.map { .removeMonitor($0, index) } }
    if duties.areSettable {
      guard duties.areRead else { return .readDefaults(index) }
      // The kernel applies it when it begins to scan.
      if duties.monitors != wantedDuty {
        return monitor.handle.map { .removeMonitor($0, index) }
          ?? .setDefaults(wantedDuty, for: .monitors, index)
      }
    }
    if let handle = monitor.handle {
      if monitor.isStale { return .removeMonitor(handle, index) }
    } else if monitor.isSupported {
      return .addMonitor(index)
    }
    return nextDiscovery
  }

  private var nextDiscovery: MgmtCommand? {
    if let wantedDuty, schedule.isActive || !monitor.isSupported {
      let mustSet = duties.mustSetDiscovery(to: wantedDuty)
      if discovery.isRunning { return discovery.wasStartedByAgent && mustSet ? .stopDiscovery(index) : nil }
      guard discovery.retry == nil else { return nil }
      return mustSet ? .setDefaults(wantedDuty, for: .discovery, index) : .startDiscovery(index)
    }
    if discovery.isRunning && discovery.wasStartedByAgent { return .stopDiscovery(index) }
    guard duties.areSettable, let original = duties.changedDiscovery else { return nil }
    return .setDefaults(original, for: .discovery, index)
  }

  private mutating func send(_ command: MgmtCommand, _ now: Instant) {
    channel.send(command, deadline: now.advanced(milliseconds: commandMilliseconds))
    // A scan stays on while its parameters change.
    switch state {
    case .scanning: break
    case .off, .preparing, .switchedOff, .ready, .failed: state = .preparing
    }
  }
}

/// Why an adapter does not scan.
public enum MgmtScanError: Error, Equatable, Sendable {
  case timeout(MgmtOpcode)
  case refused(MgmtOpcode, MgmtStatus)
  case replyTruncated(MgmtOpcode)
  /// rfkill blocks the adapter.
  case blocked
  /// CAP_NET_ADMIN is missing.
  case permissionDenied
  /// The adapter does not support LE.
  case withoutLowEnergy
  /// The kernel no longer has the adapter: it was unplugged, or another program uses it exclusively.
  case gone
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
    (self.monitor, self.originalDuty, self.originalDiscovery) = (monitor, originalDuty, originalDiscovery)
    self.wasUp = wasUp
  }

  public var isEmpty: Bool { self == KernelScanState() }
}
