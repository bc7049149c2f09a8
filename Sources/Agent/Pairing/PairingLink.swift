// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
public import HCI
import Pairing
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
  }

  private(set) var backend = Backend.none(.radioIsGone)
  var kernel = KernelPairing()
  private(set) var counters = PairingCounters()
  /// The shared adapter that is open.
  private(set) var adapter: UInt16?
  /// Whether bluetoothd runs; nil while that is not known.
  private(set) var isBluetoothdRunning: Bool?
  /// When to look for bluetoothd.
  private var lookDue: Instant?
  private var notices: [PairingNotice] = []

  /// When ``advance(to:)`` is due.
  var deadline: Instant? { .earliest(kernel.deadline, lookDue) }

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
    close(.radioIsGone)
    adapter = index
    lookDue = isSought ? nil : now
  }

  /// There is no adapter that can pair, for this reason.
  mutating func close(_ error: PairingError) {
    kernel.close()
    (adapter, isBluetoothdRunning, lookDue) = (nil, nil, nil)
    use(.none(error))
  }

  mutating func bluetoothdWasSought(isRunning: Bool, _ bonds: [KernelBond], at now: Instant) {
    guard let adapter else { return }
    guard isRunning != isBluetoothdRunning else { return }
    isBluetoothdRunning = isRunning
    if isRunning {
      if kernel.isOpen { kernel.close(.bluetoothdChanged) }
      use(.none(.notSupported("bluetoothd uses the adapter")))
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
    use(.none(.bluetoothdChanged))
  }

  // MARK: - Inputs

  mutating func receive(_ event: MgmtEvent, at now: Instant) {
    kernel.receive(event, at: now)
    // The kernel has no adapter with this index any more.
    if backend == .kernel, !kernel.isOpen { return close(.radioIsGone) }
    guard event.index == adapter, case .settings = event.content, isBluetoothdRunning == false else { return }
    // Another program, which may be a bluetoothd that starts.
    lookDue = lookDue ?? now.advanced(milliseconds: Self.settlingMilliseconds)
  }

  /// Lets time pass. Returns whether to look for bluetoothd.
  mutating func advance(to now: Instant) -> Bool {
    kernel.advance(to: now)
    guard let due = lookDue, due <= now else { return false }
    lookDue = nil
    return true
  }

  /// Ends a request for which there is no backend.
  mutating func pair(_ request: PairingRequest, at now: Instant) -> PairingAction? {
    if case .none(let error) = backend { return .ended(request.id, .failure(error)) }
    kernel.pair(request, at: now)
    return nil
  }

  // MARK: - Output

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
