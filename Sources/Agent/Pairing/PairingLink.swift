// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
public import HCI
import Pairing
import Registry
import Setup

/// The way in which devices are paired at present. Of kernel and bluetoothd only one pairs on an adapter: both would
/// reply to the same questions, and replace each other's keys.
///
/// Pure: the radio's adapter, whether bluetoothd runs, and the time go in.
struct PairingLink: Sendable {
  /// How long a bluetoothd that is restarted may take to appear; also the shortest time between two looks.
  private static let settlingMilliseconds: Int64 = 1000

  enum Backend: Equatable, Sendable {
    /// No device can be paired, for this reason.
    case none(PairingError)
    case kernel
    case bluetoothd
  }

  private(set) var backend = Backend.none(.radioIsGone)
  private(set) var kernel = KernelPairing()
  private(set) var bluetoothd = BluetoothdPairing()
  private(set) var counters = PairingCounters()
  /// The shared adapter that is open.
  private(set) var adapter: UInt16?
  /// Whether bluetoothd runs; nil while that is not known.
  private(set) var isBluetoothdRunning: Bool?
  /// Whether ``needsDiscovery`` was true when it was last looked at.
  private var neededDiscovery = false
  /// When to look for bluetoothd.
  private var lookDue: Instant?
  private var notices: [PairingNotice] = []
  /// The ends of requests for which there was no backend.
  private var ended: [PairingAction] = []

  /// Whether the kernel's one discovery is for bluetoothd, which looks with it for the device to pair.
  var needsDiscovery: Bool { bluetoothd.isPairing }

  /// When ``advance(to:)`` is due.
  var deadline: Instant? { .earliest(.earliest(kernel.deadline, bluetoothd.deadline), lookDue) }

  /// The only place where the backend changes.
  private mutating func use(_ new: Backend) { backend = new }

  /// Traps when the parts disagree; for tests.
  func checkInvariants() {
    kernel.checkInvariants()
    precondition((backend == .kernel) == kernel.isOpen, "the kernel pairs while its adapter is open for it")
    precondition(adapter != nil || lookDue == nil, "nothing is looked for without an adapter")
  }

  // MARK: - The radio and bluetoothd

  /// A shared adapter was opened. `isSought`: the radio looks for bluetoothd.
  mutating func open(adapter index: UInt16, isSought: Bool, at now: Instant) {
    close(.radioIsGone, at: now)
    adapter = index
    lookDue = isSought ? nil : now
  }

  /// There is no adapter that can pair, for this reason.
  mutating func close(_ error: PairingError, at now: Instant) {
    closeBackend(error, at: now)
    (adapter, isBluetoothdRunning, lookDue) = (nil, nil, nil)
  }

  private mutating func closeBackend(_ error: PairingError, at now: Instant) {
    if kernel.isOpen { kernel.close(error) }
    if backend == .bluetoothd { bluetoothd.close(error, at: now) }
    use(.none(error))
  }

  mutating func bluetoothdWasSought(isRunning: Bool, _ bonds: [KernelBond], at now: Instant) {
    guard let adapter else { return }
    // A bluetoothd that starts need not change a setting, and would reply to the kernel's questions as well.
    if kernel.isPairing { requestLook(at: now.advanced(milliseconds: Self.settlingMilliseconds)) }
    guard isRunning != isBluetoothdRunning else { return }
    isBluetoothdRunning = isRunning
    closeBackend(.bluetoothdChanged, at: now)
    if isRunning {
      // bluetoothd names its adapters by the kernel's numbers.
      bluetoothd.open(adapter: adapter, address: 0, at: now)
      use(.bluetoothd)
      notices.append(.backend(.bluetoothd))
    } else {
      kernel.open(adapter: adapter, bonds: bonds, at: now)
      use(.kernel)
      notices.append(.backend(.kernel))
    }
  }

  /// The bluetoothd that was found has ended. It may be about to be restarted.
  mutating func bluetoothdEnded(at now: Instant) {
    guard adapter != nil, isBluetoothdRunning == true else { return }
    isBluetoothdRunning = nil
    lookDue = now.advanced(milliseconds: Self.settlingMilliseconds)
    closeBackend(.bluetoothdChanged, at: now)
  }

  // MARK: - Inputs

  mutating func receive(_ event: MgmtEvent, at now: Instant) {
    kernel.receive(event, at: now)
    bluetoothd.receive(event, at: now)
    // The kernel has no adapter with this index any more.
    if backend == .kernel, !kernel.isOpen { return close(.radioIsGone, at: now) }
    guard event.index == adapter, case .settings = event.content, isBluetoothdRunning == false else { return }
    // Another program, which may be a bluetoothd that starts.
    requestLook(at: now.advanced(milliseconds: Self.settlingMilliseconds))
  }

  /// Has bluetoothd looked for at this time, unless an earlier look is due.
  private mutating func requestLook(at time: Instant) { lookDue = .earliest(lookDue, time) }

  mutating func receive(_ event: BusEvent, at now: Instant) { bluetoothd.receive(event, at: now) }

  mutating func receive(_ reply: BusReply, at now: Instant) { bluetoothd.receive(reply, at: now) }

  /// Lets time pass. Returns whether to look for bluetoothd.
  mutating func advance(to now: Instant) -> Bool {
    kernel.advance(to: now)
    bluetoothd.advance(to: now)
    guard let due = lookDue, due <= now else { return false }
    lookDue = nil
    return true
  }

  mutating func pair(_ request: PairingRequest, at now: Instant) {
    switch backend {
    case .none(let error): ended.append(.ended(request.id, .failure(error)))
    case .kernel:
      kernel.pair(request, at: now)
      requestLook(at: now)
    case .bluetoothd: bluetoothd.pair(request, at: now)
    }
  }

  mutating func answer(_ id: PairingID, _ answer: PairingAnswer, at now: Instant) {
    _ = kernel.answer(id, answer, at: now) || bluetoothd.answer(id, answer, at: now)
  }

  mutating func cancel(_ id: PairingID, at now: Instant) {
    kernel.cancel(id, at: now)
    bluetoothd.cancel(id, at: now)
  }

  mutating func unpair(_ identity: DeviceAddress, owner: BondOwner, at now: Instant) {
    switch owner {
    case .gateway: kernel.unpair(identity, at: now)
    case .bluetoothd: bluetoothd.unpair(identity, at: now)
    }
  }

  /// Replaces the registry's bonds.
  mutating func setBonds(_ kernelBonds: [KernelBond], _ busBonds: [BusBond], at now: Instant) {
    kernel.setBonds(kernelBonds, at: now)
    bluetoothd.setBonds(busBonds, at: now)
  }

  // MARK: - Output

  mutating func takeCommands() -> [MgmtCommand] { kernel.takeCommands() }

  /// Returns whether to open (true) or to close the bus, once; before ``takeCalls()``.
  mutating func takeBusChange() -> Bool? { bluetoothd.takeBusChange() }

  /// Returns whether ``needsDiscovery`` has changed, once.
  mutating func takeDiscoveryChange() -> Bool {
    defer { neededDiscovery = needsDiscovery }
    return neededDiscovery != needsDiscovery
  }

  mutating func takeCalls() -> [BusCall] { bluetoothd.takeCalls() }

  mutating func takeActions() -> [PairingAction] {
    defer { ended.removeAll() }
    return ended + kernel.takeActions() + bluetoothd.takeActions()
  }

  mutating func note(_ action: PairingAction) {
    switch action {
    case .ask: break
    case .ended(_, let result): counters.results[PairingResultKind(result), default: 0] &+= 1
    case .bondWasLost(let device):
      counters.bondsLost &+= 1
      notices.append(.bondWasLost(device))
    case .foreignAttemptRefused(let device):
      counters.foreignAttemptsRefused &+= 1
      notices.append(.foreignAttemptRefused(device))
    }
  }

  mutating func takeNotices() -> [PairingNotice] {
    defer { notices.removeAll() }
    return notices
  }
}

/// An event for the log, about bonds.
public enum PairingNotice: Equatable, Sendable {
  public enum Backend: Equatable, Sendable { case kernel, bluetoothd }

  case backend(Backend)
  case foreignAttemptRefused(DeviceAddress)
  case bondWasLost(DeviceAddress)
}
