// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
package import Pairing

/// Chooses whether the kernel or bluetoothd pairs a device, and routes to it. Only one pairs on an adapter: both would reply
/// to the same questions, and replace each other's keys.
///
/// Pure: the radio's adapter, whether bluetoothd runs, and the time go in.
package struct PairingLink: Sendable {
  /// How long a bluetoothd that is restarted may take to appear; also the shortest time between two looks.
  private static let settlingMilliseconds: Int64 = 1000

  package enum Backend: Equatable, Sendable {
    /// No device can be paired, for this reason.
    case none(PairingError)
    case kernel
    case bluetoothd
    /// Nothing pairs on an adapter that the agent holds alone.
    case exclusive
  }

  package private(set) var backend = Backend.none(.radioIsGone)
  package var kernel = KernelPairing()
  package var bluetoothd = BluetoothdPairing()
  private(set) var counters = PairingCounters()
  /// The adapter that is open.
  package private(set) var adapter: UInt16?
  /// Whether bluetoothd runs; nil while that is not known.
  private(set) var isBluetoothdRunning: Bool?
  /// The devices whose keys the kernel does not take.
  private var leftOut: [DeviceAddress] = []
  /// When to look for bluetoothd.
  package private(set) var lookDue: Instant?
  /// What is to be done and reported, beside what the backends have.
  private var actions: [Action] = []
  private var reports: [PairingAction] = []

  /// Whether the kernel's one discovery is for bluetoothd, which looks with it for the device to pair.
  var needsDiscovery: Bool { bluetoothd.isPairing }

  /// When ``advance(to:)`` is due. It changes nothing, but pairings that are only borrowed would be copied.
  var deadline: Instant? {
    mutating get { .earliest(.earliest(kernel.deadline, bluetoothd.deadline), lookDue) }
  }

  /// Whether a pairing, or the removal of a bond, is under way and can end soon.
  func isBusy(at now: Instant) -> Bool { kernel.isBusy || bluetoothd.isBusy(at: now) }

  /// Why no device can be paired, whatever its item; nil while one can, as far as is known, or while that is being found
  /// out. A radio that is gone says so itself.
  var refusal: PairingError? {
    switch backend {
    case .none(.radioIsGone), .none(.bluetoothdChanged): nil
    case .none(let error): error
    case .kernel: kernel.refusal
    case .bluetoothd: nil
    case .exclusive: .needsSharedAccess
    }
  }

  // MARK: - The radio and bluetoothd

  /// The radio was opened. `isSought`: it looks for bluetoothd.
  mutating func open(_ radio: RadioKind, isSought: Bool, at now: Instant) {
    switch radio {
    case .sharedAdapter(let index, _):
      close(.radioIsGone, at: now)
      (adapter, lookDue) = (index, isSought ? nil : now)
    case .adapter(let index):
      close(.radioIsGone, at: now)
      (adapter, lookDue, backend) = (index, now, .exclusive)
    case .listener: close(.notPermitted, at: now)
    case .controller, .recording: close(.radioIsSimulated, at: now)
    }
  }

  /// There is no adapter that can pair, for this reason.
  mutating func close(_ error: PairingError, at now: Instant) {
    closeBackend(error, at: now)
    (adapter, isBluetoothdRunning, lookDue) = (nil, nil, nil)
  }

  /// The agent gives up its adapter for another one, or to hold it alone: the kernel keeps none of its keys.
  mutating func giveUpAdapter(at now: Instant) {
    guard backend == .kernel, let adapter else { return }
    close(.radioIsGone, at: now)
    let commands = kernel.takeCommands() + KernelPairing.keyClearingCommands(adapter)
    actions += commands.map { .managePairing($0) }
  }

  private mutating func closeBackend(_ error: PairingError, at now: Instant) {
    if kernel.isOpen { kernel.close(error) }
    if backend == .bluetoothd { bluetoothd.close(error, at: now) }
    backend = .none(error)
  }

  /// `address` is the adapter's, 0 while that is not known.
  mutating func bluetoothdWasSought(
    isRunning: Bool, address: UInt64, _ bonds: [DeviceBond], at now: Instant
  ) {
    guard let adapter else { return }
    // A bluetoothd that starts need not change a setting, and would reply to the kernel's questions as well.
    if kernel.isPairing { requestLook(at: now.advanced(milliseconds: Self.settlingMilliseconds)) }
    guard isRunning != isBluetoothdRunning else { return }
    isBluetoothdRunning = isRunning
    guard backend != .exclusive else { return }
    closeBackend(.bluetoothdChanged, at: now)
    if isRunning {
      bluetoothd.open(adapter: adapter, address: address, at: now)
      backend = .bluetoothd
      log(.backend(.bluetoothd))
    } else {
      kernel.open(adapter: adapter, bonds: bonds, at: now)
      backend = .kernel
      log(.backend(.kernel))
      noteLeftOut()
    }
  }

  /// The bluetoothd that was found has ended. It may be about to be restarted.
  mutating func bluetoothdEnded(at now: Instant) {
    guard adapter != nil, isBluetoothdRunning == true else { return }
    isBluetoothdRunning = nil
    lookDue = now.advanced(milliseconds: Self.settlingMilliseconds)
    if backend != .exclusive { closeBackend(.bluetoothdChanged, at: now) }
  }

  // MARK: - Whose keys the kernel has

  /// Why the kernel lacks the keys of the bonds that a program keeps.
  enum KeyAbsence: Equatable, Sendable {
    /// bluetoothd has replaced the gateway's keys with its own.
    case bluetoothdRuns
    /// bluetoothd has ended, and the gateway's keys have yet to be loaded.
    case bluetoothdHasEnded
    /// The gateway has replaced bluetoothd's keys with its own.
    case bluetoothdDoesNotRun
    /// The gateway has more keys than the kernel takes.
    case listIsFull
  }

  /// Returns why the kernel lacks the keys that this owner has of a device; nil when it has them, as far as is known.
  func keyAbsence(of device: DeviceAddress, _ owner: BondOwner) -> KeyAbsence? {
    switch (owner, isBluetoothdRunning) {
    case (.gateway, true): .bluetoothdRuns
    case (.gateway, nil): backend == .none(.bluetoothdChanged) ? .bluetoothdHasEnded : nil
    case (.bluetoothd, false): .bluetoothdDoesNotRun
    case (.gateway, false): leftOut.contains(device) ? .listIsFull : nil
    case (.bluetoothd, true), (.bluetoothd, nil): nil
    }
  }

  /// Whether keys of this owner that a device has refused are lost. While it is being found out whether a bluetoothd has
  /// come, the kernel may have the keys of the other.
  func isRefusalCredible(of device: DeviceAddress, _ owner: BondOwner) -> Bool {
    keyAbsence(of: device, owner) == nil && lookDue == nil
  }

  // MARK: - Inputs

  mutating func receive(_ event: MgmtEvent, at now: Instant) {
    kernel.receive(event, at: now)
    bluetoothd.receive(event, at: now)
    // The kernel has no adapter with this index any more.
    if backend == .kernel, !kernel.isOpen { return close(.radioIsGone, at: now) }
    guard event.index == adapter, case .settings = event.content, isBluetoothdRunning == false,
      backend != .exclusive
    else { return }
    // Another program, which may be a bluetoothd that starts.
    requestLook(at: now.advanced(milliseconds: Self.settlingMilliseconds))
  }

  /// Has bluetoothd looked for at this time, unless an earlier look is due.
  private mutating func requestLook(at time: Instant) { lookDue = .earliest(lookDue, time) }

  mutating func advance(to now: Instant) {
    kernel.advance(to: now)
    bluetoothd.advance(to: now)
    guard let due = lookDue, due <= now else { return }
    lookDue = nil
    actions.append(.findBluetoothd)
  }

  /// Performs what a setup asks for.
  mutating func performCommand(_ command: PairingCommand, at now: Instant) {
    switch command {
    case .pair(let request): pair(request, at: now)
    case .answer(let id, let answer):
      _ = kernel.answer(id, answer, at: now) || bluetoothd.answer(id, answer, at: now)
    case .cancel(let id):
      kernel.cancel(id, at: now)
      bluetoothd.cancel(id, at: now)
    case .unpair(let identity, .gateway): kernel.unpair(identity, at: now)
    case .unpair(let identity, .bluetoothd): bluetoothd.unpair(identity, at: now)
    case .keepBond(let identity): bluetoothd.keepBond(identity, at: now)
    }
  }

  private mutating func pair(_ request: PairingRequest, at now: Instant) {
    switch backend {
    case .none(let error): report(.ended(request.id, .failure(error)))
    case .exclusive: report(.ended(request.id, .failure(.needsSharedAccess)))
    case .kernel:
      kernel.pair(request, at: now)
      requestLook(at: now)
    case .bluetoothd: bluetoothd.pair(request, at: now)
    }
  }

  /// Replaces the registry's bonds.
  mutating func setBonds(_ bonds: [DeviceBond], at now: Instant) {
    kernel.setBonds(bonds, at: now)
    bluetoothd.setBonds(bonds, at: now)
    noteLeftOut()
  }

  /// Reports the bonds whose keys the kernel does not take, when they change.
  private mutating func noteLeftOut() {
    let before = leftOut
    leftOut = kernel.leftOut
    if leftOut != before, let first = leftOut.first {
      log(.keysWereLeftOut(count: leftOut.count, first))
    }
  }

  // MARK: - Output

  /// Adds a report to those of the backends.
  mutating func report(_ report: PairingAction) { reports.append(report) }

  private mutating func log(_ notice: PairingNotice) { actions.append(.log(.pairing(notice))) }

  /// Removes and returns what the inputs since the last call have caused: what the shell has to do, and what setups are
  /// to know.
  mutating func takeOutput() -> (actions: [Action], reports: [PairingAction]) {
    defer { (actions, reports) = ([], []) }
    reports += kernel.takeActions() + bluetoothd.takeActions()
    actions += (kernel.takeCommands() + bluetoothd.takeCommands()).map { .managePairing($0) }
    if let isOpen = bluetoothd.takeBusChange() { actions.append(isOpen ? .openBus : .closeBus) }
    actions += bluetoothd.takeCalls().map { .callBus($0) }
    for report in reports { count(report) }
    return (actions, reports)
  }

  /// Counts a report, and has it logged.
  private mutating func count(_ report: PairingAction) {
    switch report {
    case .ask, .removalWaits, .removalEnded: break
    case .ended(_, .success): counters.results[.paired, default: 0] &+= 1
    case .ended(_, .failure(let error)): counters.results[error.result, default: 0] &+= 1
    case .bondWasLost(let device):
      counters.bondsLost &+= 1
      log(.bondWasLost(device))
    case .foreignAttemptRefused(let device):
      counters.foreignAttemptsRefused &+= 1
      log(.foreignAttemptRefused(device))
    case .commandWasRejected(let opcode, let status):
      counters.rejections[opcode, default: 0] &+= 1
      log(
        PairingCounters.keyLists.contains(opcode)
          ? .keysWereRejected(status) : .settingWasRejected(opcode, status))
    case .busMessageWasIgnored(let reason): log(.busMessageWasIgnored(reason))
    }
  }
}
