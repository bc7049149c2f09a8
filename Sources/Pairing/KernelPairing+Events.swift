// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Controller
import Registry

// What the kernel reports.

extension KernelPairing {
  /// Receives an event of the management socket; those of other adapters change nothing.
  public mutating func receive(_ event: MgmtEvent, at now: Instant) {
    guard let adapter, event.index == adapter else { return }
    switch event.content {
    case .completed(let opcode, let status, let returned):
      receiveReply(opcode, status, DeviceAddress(mgmtReply: returned), at: now)
    case .removed: return close()
    case .settings(let settings):
      if receiveSettings(settings) { fail(.radioIsGone, at: now) }
    case .disconnected(let device, let reason): receiveDisconnection(of: device, reason, at: now)
    case .bond(let event): receiveBondEvent(event, at: now)
    case .added, .discovering, .monitorRemoved, .other: return
    }
    settle(at: now)
  }

  /// The kernel asked about digits that cannot be shown. The agent's own pairing with the device ends.
  public mutating func receiveInvalidDigits(of device: DeviceAddress, at now: Instant) {
    guard attemptToAnswer(for: device) != nil else { return }
    fail(.invalidDigits(isKernel: true), at: now)
    settle(at: now)
  }

  private mutating func receiveReply(
    _ opcode: MgmtOpcode, _ status: MgmtStatus, _ device: DeviceAddress?, at now: Instant
  ) {
    switch opcode {
    case .pairDevice: receivePairReply(status, of: device, at: now)
    case .cancelPairDevice:
      guard cancellation.receiveReply(status, at: now), case .ending(let error, _) = state else { return }
      undo(error, at: now)
    case .unpairDevice:
      if let outcome = unpairs.receiveReply(status, of: device, at: now) { noteRemoval(outcome) }
    case .setBondable:
      if bondable.receiveReply(status, at: now) { actions.append(.commandWasRejected(opcode, status)) }
    default:
      if loading.receiveReply(opcode, status, at: now) { actions.append(.commandWasRejected(opcode, status)) }
    }
  }

  /// The link to the device that is being paired has ended. That another device has refused its keys is for those to
  /// judge who know the connections of apps.
  private mutating func receiveDisconnection(
    of device: DeviceAddress, _ reason: MgmtDisconnectReason, at now: Instant
  ) {
    guard let attempt, attempt.tries > 0, attempt.belongs(device) else { return }
    switch state {
    case .pairing:
      if attempt.hasTakenTooLong(at: now) {
        return fail(.timeout(isAsking: attempt.question != nil), at: now)
      }
      fail(reason == .authenticationFailed ? .authenticationFailed(in: attempt) : .deviceIsGone, at: now)
    // No key comes over a link that has ended.
    case .awaitingKeys: passDeadline(at: now)
    case .idle, .preparing, .pausing, .ending, .undoing: break
    }
  }

  private mutating func receiveBondEvent(_ event: MgmtBondEvent, at now: Instant) {
    switch event {
    case .linkKey(let key, let isToBeKept):
      if receivesKeys, isToBeKept { attempt?.keys.add(key) }
    case .longTermKey(let key, let isToBeKept): receiveLongTermKey(key, isToBeKept: isToBeKept, at: now)
    case .identityKey(let key, let address, let isToBeKept):
      guard receivesKeys else { return }
      if attempt?.takeIdentityKey(key, address: address, isToBeKept: isToBeKept) == true { noteKey(at: now) }
    case .confirmationRequest(let device, let digits): receiveConfirmation(device, digits, at: now)
    case .passkeyRequest(let device): receivePasskeyRequest(device, at: now)
    case .passkeyNotification(let device, let digits):
      guard let attempt, attempt.belongs(device), case .pairing = state else { return }
      ask(.showDigits(digits), about: device, at: now)
    case .unpaired(let device): receiveRemoval(of: device, at: now)
    case .connected(let device):
      if attempt?.belongs(device) == true { attempt?.lastStep = now }
    // The replies and the ends of links say the same.
    case .connectFailed, .authenticationFailed: break
    }
  }

  /// Whether keys may be those of the pairing.
  private var receivesKeys: Bool {
    switch state {
    case .pairing, .awaitingKeys: true
    case .idle, .preparing, .pausing, .ending, .undoing: false
    }
  }

  // MARK: - Questions

  private mutating func receiveConfirmation(_ device: DeviceAddress, _ digits: UInt32?, at now: Instant) {
    guard let adapter else { return }
    guard let attempt = attemptToAnswer(for: device) else {
      return refuse(device) { .confirm(device, false, adapter) }
    }
    if let digits { return ask(.compare(digits), about: device, at: now) }
    // Consent alone makes a bond that is not authenticated.
    let isAllowed = !attempt.request.demandsAuthentication
    commands.append(.confirm(device, isAllowed, adapter))
    guard !isAllowed else { return }
    state = .ending(
      .notAuthenticated(.justWorks), until: now.advanced(milliseconds: Self.cancellationMilliseconds))
  }

  private mutating func receivePasskeyRequest(_ device: DeviceAddress, at now: Instant) {
    guard let adapter else { return }
    guard attemptToAnswer(for: device) != nil else {
      return refuse(device) { .enterPasskey(nil, for: device, adapter) }
    }
    ask(.enterDigits, about: device, at: now)
  }

  /// The agent's own pairing, if it is the one that the kernel asks about.
  private func attemptToAnswer(for device: DeviceAddress) -> PairingAttempt? {
    guard let attempt, case .pairing = state, attempt.belongs(device) else { return nil }
    return attempt
  }

  private mutating func refuse(_ device: DeviceAddress, _ command: () -> MgmtCommand) {
    commands.append(command())
    // A pairing of the agent that is being ended may still ask.
    if attempt?.belongs(device) != true { actions.append(.foreignAttemptRefused(device)) }
  }

  private mutating func ask(_ question: PairingQuestion, about device: DeviceAddress, at now: Instant) {
    guard let id = attempt?.request.id else { return }
    attempt?.asked = device
    attempt?.ask(question, at: now)
    actions.append(.ask(id, question))
  }

  // MARK: - Keys of others, and keys that are gone

  private mutating func receiveLongTermKey(_ key: MgmtKey<LongTermKey>, isToBeKept: Bool, at now: Instant) {
    if receivesKeys {
      attempt?.keys.add(key, isToBeKept: isToBeKept)
      return noteKey(at: now)
    }
    if let echo, echo.device == key.device, now < echo.until { return }
    guard attempt?.belongs(key.device) != true else { return }
    // The keys of a pairing that connect() began, or that another program made.
    if !isToBeKept {
      remove(key.device)
      actions.append(.foreignAttemptRefused(key.device))
    }
    guard let bond = bond(of: key.device), !bond.hasKey(key) else { return }
    lose(bond.identity)
  }

  /// Another program removed the bond with a device.
  private mutating func receiveRemoval(of device: DeviceAddress, at now: Instant) {
    guard let bond = bond(of: device) else {
      if let attempt, attempt.tries > 0, attempt.belongs(device) { fail(.otherProgram, at: now) }
      return
    }
    loading.noteRemoved(bond.identity)
    if attempt?.belongs(device) == true { return fail(.otherProgram, at: now) }
    lose(bond.identity)
  }
}

extension DeviceBond {
  /// Whether the bond was made with this key.
  func hasKey(_ key: MgmtKey<LongTermKey>) -> Bool {
    keys.longTermKeys.contains { $0.central == key.key.central && $0.value == key.key.value }
  }
}
