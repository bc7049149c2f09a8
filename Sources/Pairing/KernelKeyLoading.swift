// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import Registry

/// Loads the keys of bonds into the kernel, each list as a whole: identity keys first, because without them the kernel
/// asks to forget the keys of devices with private addresses. Then it switches debug keys off and Secure Connections on.
///
/// Capacity: ``MgmtCommand/longTermKeysMax`` long term keys; ``KernelPairing`` leaves out the bonds beyond. A command that
/// the kernel refuses for the moment, or does not answer, is repeated with all others after one second, then after longer
/// and longer pauses of at most 30 s.
struct KernelKeyLoading: Sendable {
  static let replyMilliseconds: Int64 = 5000
  private static let retryMilliseconds: Int64 = 1000
  private static let retryDoublingsMax = 5

  enum State: Equatable, Sendable {
    /// There is no adapter.
    case closed
    /// Nothing is under way.
    case resting
    /// The command of this step is to be sent.
    case due(Step)
    /// The command of this step waits for its reply.
    case loading(Step, until: Instant)
    /// A command failed; everything is loaded again at this time.
    case waiting(until: Instant)
    /// The kernel takes no keys of the agent.
    case refused(PairingError)
  }

  enum Step: Int, CaseIterable, Sendable {
    case identityKeys, longTermKeys, linkKeys, debugKeys, securePairing, secureConnections

    var opcode: MgmtOpcode {
      switch self {
      case .identityKeys: .loadIdentityKeys
      case .longTermKeys: .loadLongTermKeys
      case .linkKeys: .loadLinkKeys
      case .debugKeys: .setDebugKeys
      case .securePairing: .setSecureSimplePairing
      case .secureConnections: .setSecureConnections
      }
    }

    /// Whether bonds are impossible without it. An adapter without BR/EDR takes no link keys, and has
    /// no Secure Simple Pairing.
    var isIndispensable: Bool { self == .identityKeys || self == .longTermKeys }
  }

  private(set) var state = State.closed
  /// The bonds to load into the kernel.
  var wanted: [DeviceBond] = []
  /// The bonds whose keys the kernel has; nil while that is not known.
  private(set) var held: [DeviceBond]?
  private var sent: [DeviceBond] = []
  /// What the kernel has changed while the lists were loaded.
  private var isStale = false
  private var failureCount = 0

  /// Whether the kernel has the wanted keys.
  var isSettled: Bool { state == .resting && held == wanted }

  /// Whether nothing more will come of waiting.
  var isOver: Bool {
    switch state {
    case .closed, .refused: true
    case .resting, .due, .loading, .waiting: isSettled
    }
  }

  var error: PairingError? { if case .refused(let error) = state { error } else { nil } }

  var deadline: Instant? {
    switch state {
    case .loading(_, let until), .waiting(let until): until
    case .closed, .resting, .due, .refused: nil
    }
  }

  // MARK: - Inputs

  mutating func open() {
    (held, failureCount) = (nil, 0)
    state = .resting
  }

  mutating func close() {
    held = nil
    state = .closed
  }

  /// It is not known any more which keys the kernel has.
  mutating func invalidate() { (held, isStale) = (nil, true) }

  /// A pairing has given the kernel the keys of a bond.
  mutating func noteKept(_ bond: DeviceBond) {
    guard state == .resting, var bonds = held else { return invalidate() }
    bonds.remove(bond.identity)
    held = (bonds + [bond]).inOrder
  }

  /// The kernel has forgotten the LE keys of a bond. A BR/EDR key stays until the lists are loaded again.
  mutating func noteRemoved(_ identity: DeviceAddress) {
    let hasLinkKey = held?.contains { $0.identity == identity && $0.mgmtLinkKey != nil } == true
    guard state == .resting, !hasLinkKey else { return invalidate() }
    held?.remove(identity)
  }

  /// Receives a reply; those to other commands change nothing. Returns whether the kernel has rejected the command.
  mutating func receiveReply(_ opcode: MgmtOpcode, _ status: MgmtStatus, at now: Instant) -> Bool {
    guard case .loading(let step, _) = state, step.opcode == opcode else { return false }
    switch status {
    case .success: finish(step)
    case .permissionDenied: state = .refused(.notPermitted)
    case .notSupported, .unknownCommand:
      if step.isIndispensable {
        state = .refused(.notSupported("the kernel takes no keys for this adapter"))
      } else {
        finish(step)
      }
    case .rejected, .invalidParameters: if step.isIndispensable { fail(at: now) } else { finish(step) }
    default: fail(at: now)
    }
    return status.isRejection
  }

  private mutating func finish(_ step: Step) {
    guard let next = Step(rawValue: step.rawValue + 1) else {
      (held, failureCount) = (isStale ? nil : sent, 0)
      state = .resting
      return
    }
    state = .due(next)
  }

  private mutating func fail(at now: Instant) {
    held = nil
    let pause = Self.retryMilliseconds << min(failureCount, Self.retryDoublingsMax)
    failureCount += 1
    state = .waiting(until: now.advanced(milliseconds: min(pause, 30_000)))
  }

  mutating func advance(to now: Instant) {
    switch state {
    case .loading(_, let until): if until <= now { fail(at: now) }
    case .waiting(let until): if until <= now { state = .resting }
    case .closed, .resting, .due, .refused: break
    }
  }

  /// The next command for an adapter. Nothing is begun unless `mayBegin`: a list replaces the keys that a pairing has
  /// just made.
  mutating func nextCommand(_ index: UInt16, mayBegin: Bool, at now: Instant) -> MgmtCommand? {
    if state == .resting, held != wanted, mayBegin {
      (sent, isStale) = (wanted, false)
      state = .due(.identityKeys)
    }
    guard case .due(let step) = state else { return nil }
    state = .loading(step, until: now.advanced(milliseconds: Self.replyMilliseconds))
    switch step {
    case .identityKeys: return .loadIdentityKeys(sent.compactMap(\.mgmtIdentityKey), index)
    case .longTermKeys: return .loadLongTermKeys(sent.flatMap(\.mgmtLongTermKeys), index)
    case .linkKeys: return .loadLinkKeys(sent.compactMap(\.mgmtLinkKey), index)
    case .debugKeys: return .set(step.opcode, to: false, index)
    case .securePairing, .secureConnections: return .set(step.opcode, to: true, index)
    }
  }
}

extension MgmtStatus {
  /// Whether the kernel will not take this command now, and would if the adapter were set up in another way.
  var isRejection: Bool { self == .rejected || self == .invalidParameters }
}

extension [DeviceBond] {
  /// The same bonds, ordered by identity, so that lists can be compared.
  var inOrder: Self { sorted { $0.identity.word < $1.identity.word } }

  /// The same bonds with at most this number of long term keys: each bond is whole, or has its identity key alone.
  func fittingInto(_ count: Int) -> Self {
    guard reduce(0, { $0 + $1.keys.longTermKeys.count }) > count else { return self }
    var room = count
    return map { bond in
      let needed = bond.mgmtLongTermKeys.count
      guard needed <= room else { return bond.lost }
      room -= needed
      return bond
    }
  }
}
