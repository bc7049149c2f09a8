// SPDX-License-Identifier: GPL-3.0-or-later

import Registry

/// How a pairing ends, well or badly, and what bluetoothd asks during it.
extension BluetoothdPairing {
  // MARK: - Questions

  mutating func receiveQuestion(
    _ token: UInt64, _ question: BusEvent.Question, _ device: String, at now: Instant
  ) {
    guard let attempt, attempt.step == .pairing, attempt.device == device else {
      return refuse(token, device)
    }
    let id = attempt.request.id
    switch question {
    case .confirmation(let digits) where digits < 1_000_000:
      ask(BusAttempt.Question(token: token, isDigits: false), .digitsCompared)
      actions.append(.ask(id, .compare(digits)))
    case .passkey:
      ask(BusAttempt.Question(token: token, isDigits: true), .digitsEntered)
      actions.append(.ask(id, .enterDigits))
    case .showPasskey(let digits) where digits < 1_000_000:
      reply(to: token, .accept)
      // bluetoothd shows them again after each digit that is typed.
      if attempt.method != .digitsShown { actions.append(.ask(id, .showDigits(digits))) }
      self.attempt?.method = .digitsShown
    case .other: refuse(token, device)
    case .confirmation, .showPasskey:
      ignoreMessage(.invalidDigits)
      reply(to: token, .refuse)
      fail(.invalidDigits(isKernel: false), at: now)
    }
  }

  private mutating func ask(_ question: BusAttempt.Question, _ method: PairingMethod) {
    // An earlier one is withdrawn.
    if let open = attempt?.question { reply(to: open.token, .refuse) }
    attempt?.question = question
    attempt?.questionEnd = nil
    attempt?.method = method
  }

  private mutating func refuse(_ token: UInt64, _ device: String) {
    counters.foreignQuestions &+= 1
    reply(to: token, .refuse)
    if let address = objects.address(of: device) { actions.append(.foreignAttemptRefused(address)) }
  }

  // MARK: - Success

  /// Ends the wait for the kernel's events once both keys were reported. One for BR/EDR may follow them.
  mutating func finishIfKeysAreKnown(at now: Instant) {
    if let attempt, case .success? = attempt.result, case .success(let device) = succeed(attempt) {
      self.attempt?.result = .success(device)
    }
    guard let attempt, attempt.step == .awaitingKeys,
      attempt.keys.isAuthenticated(identity(of: attempt)) != nil
    else { return }
    succeed(at: now)
  }

  /// The identity as the kernel reports it; otherwise as bluetoothd does.
  func identity(of attempt: BusAttempt) -> DeviceAddress {
    let known = attemptAddress ?? attempt.request.device.settled
    return attempt.keys.identity(of: attempt.request.device.settled)
      ?? attempt.keys.identity(of: known) ?? known
  }

  func succeed(_ attempt: BusAttempt) -> Result<PairedDevice, PairingError> {
    let identity = identity(of: attempt)
    // Without its identity the device cannot be recognised under its next address.
    guard identity.lifetime == .durable else { return .failure(.noKeys) }
    let isAuthenticated = attempt.keys.isAuthenticated(identity) ?? false
    if attempt.request.demandsAuthentication, !isAuthenticated {
      return .failure(.notAuthenticated(attempt.method))
    }
    var keys = BondKeys()
    keys.identityKey = attempt.keys.identityKey(of: identity)
    var record = BondRecord(
      owner: .bluetoothd, isAuthenticated: isAuthenticated, keys: keys,
      foreignKeyByteCount: attempt.keys.byteCount(of: identity))
    record.hasForeignLinkKey = attempt.keys.hasLinkKey(identity)
    return .success(PairedDevice(identity: identity, record: record, method: attempt.method))
  }

  mutating func succeed(at now: Instant) {
    guard let attempt else { return }
    switch succeed(attempt) {
    case .failure(let error): fail(error, at: now)
    case .success(let device):
      self.attempt?.result = .success(device)
      enter(.unregistering, at: now)
    }
  }

  // MARK: - Failure

  /// Ends an attempt with the first error, and begins to undo what it did.
  mutating func fail(_ error: PairingError, at now: Instant) {
    guard let attempt else { return }
    if case .failure? = attempt.result { return }
    if attempt.step == .openingBus { return endAttempt(error, at: now) }
    self.attempt?.result = .failure(error)
    if let question = attempt.question {
      reply(to: question.token, .refuse)
      self.attempt?.question = nil
    }
    if [.discovering, .awaitingDiscovery, .stoppingDiscovery].contains(attempt.step), let adapterPath {
      call(.stopDiscovery(adapter: adapterPath), milliseconds: 5000)
    }
    if attempt.pairCall != nil { enter(.cancelling, at: now) } else { undo(at: now) }
  }

  /// Removes the device, if it is paired now or was not known before.
  mutating func undo(at now: Instant) {
    guard let attempt else { return }
    let isNew = attempt.device.map { !attempt.wasKnown && objects.devices[$0] != nil } ?? false
    enter(attempt.isPaired || isNew ? .removing : .unregistering, at: now)
    // The adapter is gone from bluetoothd's list.
    guard self.attempt?.step == .removing, self.attempt?.call == nil else { return }
    keepForLater(at: now)
    enter(.unregistering, at: now)
  }

  /// A device that could not be removed now is removed later.
  mutating func keepForLater(at now: Instant) {
    guard let attempt else { return }
    let due = now.advanced(milliseconds: BusBonds.retryMilliseconds)
    bonds.addRemoval(identity(of: attempt), at: due)
  }

  mutating func finishOrAwaitBluetoothdsEnd(at now: Instant) {
    guard attempt?.mayHaveFailedWithBluetoothd == true else { return finish(at: now) }
    enter(.awaitingBluetoothdsEnd, at: now)
  }

  mutating func finish(at now: Instant) {
    guard let attempt else { return }
    self.attempt = nil
    if isClosing { (adapter, isClosing) = (nil, false) }
    if ![.unregistering, .awaitingBluetoothdsEnd].contains(attempt.step) {
      call(.followProperties(false), milliseconds: 0)
    }
    let result = attempt.result ?? .failure(.bluetoothdChanged)
    // A new bond is in the place of one that was to be removed.
    bonds.endPairing(with: try? result.get().identity, at: now)
    actions.append(.ended(attempt.request.id, result))
  }

  /// The adapter is off or gone, which is the reason for what bluetoothd reported of the device meanwhile.
  mutating func failWithoutAdapter(at now: Instant) {
    guard let attempt, !attempt.isSuccess else { return }
    fail(.radioIsGone, at: now)
    if attempt.mayHaveFailedWithAdapter { self.attempt?.result = .failure(.radioIsGone) }
  }

  /// Ends an attempt at once, because bluetoothd, the bus or the adapter is gone. A bond that it has made or is making
  /// is removed later.
  mutating func endAttempt(_ error: PairingError, at now: Instant) {
    guard let attempt else { return }
    if attempt.isPaired || attempt.pairCall != nil, !attempt.isSuccess { keepForLater(at: now) }
    let isExplained = error == .bluetoothdChanged && attempt.mayHaveFailedWithBluetoothd
    if attempt.result == nil || isExplained { self.attempt?.result = .failure(error) }
    finish(at: now)
  }
}

extension BusAttempt {
  fileprivate var isSuccess: Bool { if case .success? = result { true } else { false } }

  /// Whether a bluetoothd that ends may have caused the error, because it ends its links, forgets devices and switches
  /// the adapter off.
  fileprivate var mayHaveFailedWithBluetoothd: Bool {
    hasFailed([.deviceIsGone, .otherProgram, .unknownToBluetoothd, .radioIsGone])
  }

  /// Whether it is an error that bluetoothd reports for the device when the adapter goes.
  fileprivate var mayHaveFailedWithAdapter: Bool {
    hasFailed([.deviceIsGone, .otherProgram, .unknownToBluetoothd, .refused, .wrongDigits])
  }

  private func hasFailed(_ errors: [PairingError]) -> Bool { errors.contains { result == .failure($0) } }
}
