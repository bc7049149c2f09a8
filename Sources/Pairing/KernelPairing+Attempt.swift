// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import HCI
import Registry

// The course of one pairing.

extension KernelPairing {
  /// Begins a pairing. Everything that comes of it is an action.
  public mutating func pair(_ request: PairingRequest, at now: Instant) {
    if let error = refusal(of: request) { return actions.append(.ended(request.id, .failure(error))) }
    attempt = PairingAttempt(request, known: bond(of: request.device), at: now)
    state = .preparing(until: now.advanced(milliseconds: Self.preparationMilliseconds))
    if let replaced = attempt?.replaced { remove(replaced.identity) }
    settle(at: now)
  }

  private func refusal(of request: PairingRequest) -> PairingError? {
    if attempt != nil { return .busy }
    if request.isInputDevice { return .inputDeviceNeedsBluetoothd }
    if adapter == nil { return .radioIsGone }
    return refusal
  }

  /// Passes on a person's answer. Returns false if nothing of the kind was asked.
  public mutating func answer(_ id: PairingID, _ answer: PairingAnswer, at now: Instant) -> Bool {
    guard let adapter, let attempt, attempt.request.id == id, case .pairing = state else { return false }
    let device = attempt.asked ?? attempt.target
    switch (attempt.question, answer) {
    case (.compare, .digitsMatch(let isSame)):
      self.attempt?.question = nil
      commands.append(.confirm(device, isSame, adapter))
      if !isSame { awaitEnd(.digitsDiffer, at: now) }
    case (.enterDigits, .digits(let digits)) where digits < 1_000_000:
      self.attempt?.question = nil
      commands.append(.enterPasskey(digits, for: device, adapter))
    default: return false
    }
    settle(at: now)
    return true
  }

  /// Ends a pairing; one that is over stays as it is.
  public mutating func cancel(_ id: PairingID, at now: Instant) {
    guard attempt?.request.id == id else { return }
    fail(.cancelled, at: now)
    settle(at: now)
  }

  // MARK: - Progress

  /// Takes the next step that needs no event.
  mutating func advanceAttempt(at now: Instant) {
    guard let attempt else { return }
    switch state {
    case .preparing:
      if let error = refusal { return fail(error, at: now) }
      guard loading.isSettled, bondable.isSettled, unpairs.count == 0, cancellation.isResting else { return }
      sendPairDevice(at: now)
    case .undoing(let error, _):
      guard loading.isOver, bondable.isSettled, !unpairs.contains(attempt.identity) else { return }
      end(.failure(error))
    case .idle, .pausing, .pairing, .awaitingKeys, .ending: break
    }
  }

  private mutating func sendPairDevice(at now: Instant) {
    guard let adapter, let attempt else { return }
    self.attempt?.tries += 1
    state = .pairing(until: attempt.start.advanced(milliseconds: Self.attemptMilliseconds))
    commands.append(.pair(attempt.target, ioCapability: attempt.request.capability.rawValue, adapter))
  }

  /// The deadline of the state has passed.
  mutating func passDeadline(at now: Instant) {
    switch state {
    case .idle: break
    case .preparing: fail(.notSupported("the kernel did not finish earlier commands in time"), at: now)
    case .pausing: sendPairDevice(at: now)
    case .pairing: fail(.timeout(isAsking: attempt?.question != nil), at: now)
    case .awaitingKeys: finish(at: now)
    case .ending(let error, _):
      if let attempt { cancellation.startCancelling(attempt.target) }
      undo(error, at: now)
    case .undoing(let error, _): end(.failure(error))
    }
  }

  /// The kernel has replied to Pair Device.
  mutating func receivePairReply(_ status: MgmtStatus, of device: DeviceAddress?, at now: Instant) {
    guard let attempt else { return }
    // The reply to a pairing before this one may be late.
    guard device.map({ attempt.belongs($0) || status == .success && $0.isMgmtIdentity }) ?? true else {
      return
    }
    cancellation.end()
    switch state {
    case .pairing:
      if status == .success {
        if let device, device.isMgmtIdentity { self.attempt?.confirmed = device }
        return awaitKeys(at: now)
      }
      receiveFailure(status, of: attempt, at: now)
    case .ending(let error, _):
      let isClearer = error == .deviceIsGone && status == .authenticationFailed
      undo(isClearer ? .authenticationFailed(in: attempt) : error, at: now)
    case .idle, .preparing, .pausing, .awaitingKeys, .undoing: break
    }
  }

  private mutating func receiveFailure(_ status: MgmtStatus, of attempt: PairingAttempt, at now: Instant) {
    if status == .busy, attempt.tries < Self.triesMax {
      state = .pausing(until: now.advanced(milliseconds: Self.busyPauseMilliseconds))
      return
    }
    if status != .authenticationFailed, attempt.hasTakenTooLong(at: now) {
      return undo(.timeout(isAsking: attempt.question != nil), at: now)
    }
    undo(PairingError(status, of: attempt), at: now)
  }

  private mutating func awaitKeys(at now: Instant) {
    guard let attempt else { return }
    if attempt.isComplete { return finish(at: now) }
    let wait = attempt.bondKeys == nil ? Self.keysMilliseconds : Self.secondKeyMilliseconds
    let end = attempt.start.advanced(milliseconds: Self.attemptMilliseconds)
    state = .awaitingKeys(until: min(end, now.advanced(milliseconds: wait)))
  }

  /// A key came; it may be the last one.
  mutating func noteKey(at now: Instant) {
    guard let attempt, case .awaitingKeys(let until) = state else { return }
    if attempt.isComplete { return finish(at: now) }
    guard attempt.bondKeys != nil else { return }
    state = .awaitingKeys(until: min(until, now.advanced(milliseconds: Self.secondKeyMilliseconds)))
  }

  // MARK: - The end

  /// Ends a pairing that the kernel has done, with the keys that came.
  private mutating func finish(at now: Instant) {
    guard let attempt else { return }
    guard let keys = attempt.bondKeys, keys.areStorable else { return undo(.noKeys, at: now) }
    let isAuthenticated = keys.longTermKeys.allSatisfy(\.isAuthenticated)
    guard isAuthenticated || !attempt.request.demandsAuthentication else {
      return undo(.notAuthenticated(attempt.method), at: now)
    }
    let identity = attempt.identity
    let record = BondRecord(owner: .gateway, isAuthenticated: isAuthenticated, keys: keys)
    let bond = DeviceBond(identity, .bonded(record))
    newBonds.remove(identity)
    newBonds = newBonds.suffix(Self.newBondsMax - 1) + [bond]
    loading.noteKept(bond)
    echo = (identity, now.advanced(milliseconds: Self.echoMilliseconds))
    end(.success(PairedDevice(identity: identity, record: record, method: attempt.method)))
    // After a failure all keys are loaded again, without these.
    for device in attempt.foreignDevices {
      remove(device)
      actions.append(.foreignAttemptRefused(device))
    }
  }

  /// Ends a pairing before it is done, whatever it has reached.
  mutating func fail(_ error: PairingError, at now: Instant) {
    switch state {
    case .idle, .undoing: break
    case .preparing, .pausing, .awaitingKeys: undo(error, at: now)
    case .pairing:
      if let attempt { cancellation.startCancelling(attempt.target) }
      awaitEnd(error, at: now)
    // What ended it first stays the reason.
    case .ending: break
    }
  }

  /// Waits for the end of Pair Device, which will fail.
  private mutating func awaitEnd(_ error: PairingError, at now: Instant) {
    attempt?.question = nil
    state = .ending(error, until: now.advanced(milliseconds: Self.cancellationMilliseconds))
  }

  /// Removes what the pairing may have left in the kernel.
  mutating func undo(_ error: PairingError, at now: Instant) {
    guard let attempt else { return }
    let until = now.advanced(milliseconds: Self.undoMilliseconds)
    // A bond of the agent's own is good, and there is nothing to undo.
    if error == .alreadyPaired(isRemoved: true), isBonded(attempt.identity) {
      state = .undoing(.alreadyBonded, until: until)
      return
    }
    state = .undoing(error, until: until)
    guard attempt.tries > 0 else { return }
    remove(attempt.identity)
    loading.invalidate()
  }

  mutating func end(_ result: Result<PairedDevice, PairingError>) {
    guard let attempt else { return }
    self.attempt = nil
    state = .idle
    bondable.isWanted = false
    actions.append(.ended(attempt.request.id, result))
  }

  // MARK: - What the kernel reports

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
