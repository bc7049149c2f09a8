// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import Registry

/// The steps of a pairing: register an agent, find the device, pair, and end bluetoothd's link.
extension BluetoothdPairing {
  /// Sets the step, and makes its call.
  mutating func enter(_ step: BusAttempt.Step, at now: Instant) {
    guard let current = attempt else { return }
    attempt?.step = step
    let end = now.advanced(milliseconds: step.milliseconds)
    attempt?.stepEnd = step == .discovering ? min(end, current.discoveryEnd) : end
    attempt?.call = nil
    guard let method = method(of: step, current) else { return }
    if step == .registering { call(.followProperties(true), milliseconds: 0) }
    if step == .listing { objects.beginList() }
    let number = call(method, milliseconds: step.milliseconds)
    if step == .pairing { attempt?.pairCall = number } else { attempt?.call = number }
    if step == .unregistering { call(.followProperties(false), milliseconds: 0) }
    // bluetoothd lets a link that it is to end go on for 2 s. The kernel ends it at once.
    if step == .disconnecting, let adapter {
      commands.append(.disconnect(identity(of: current), adapter.index))
    }
  }

  /// Returns the call with which a step begins; nil for a step that only waits, or whose device or adapter is gone.
  private func method(of step: BusAttempt.Step, _ attempt: BusAttempt) -> BusCall.Method? {
    switch step {
    case .openingBus, .awaitingDiscovery, .awaitingKeys, .awaitingBluetoothdsEnd: nil
    case .registering, .registeringAgain: .registerAgent(attempt.request.capability)
    case .listing: .listObjects
    case .removingOldBond, .removing:
      if let device = attempt.device, let adapterPath {
        .removeDevice(device, adapter: adapterPath)
      } else {
        nil
      }
    case .filtering: adapterPath.map { .setDiscoveryFilter(adapter: $0) }
    case .discovering: adapterPath.map { .startDiscovery(adapter: $0) }
    case .stoppingDiscovery: adapterPath.map { .stopDiscovery(adapter: $0) }
    case .pairing: attempt.device.map { .pair($0) }
    case .trusting: attempt.device.map { .trust($0) }
    case .disconnecting: attempt.device.map { .disconnect($0) }
    case .cancelling: attempt.device.map { .cancelPairing($0) }
    case .unregistering: .unregisterAgent
    }
  }

  /// bluetoothd replied to the call of the step.
  mutating func receiveStepReply(_ failure: BusCallError?, at now: Instant) {
    guard let attempt else { return }
    self.attempt?.call = nil
    switch attempt.step {
    case .registering where failure?.isAlreadyThere == true:
      call(.unregisterAgent, milliseconds: 5000)
      enter(.registeringAgain, at: now)
    case .registering, .registeringAgain: failOr(.listing, failure, at: now)
    case .listing:
      if let failure { return fail(failure.error, at: now) }
      objects.endList()
      chooseDevice(at: now)
    case .removingOldBond:
      if let failure, !failure.isUnknownObject { return fail(failure.error, at: now) }
      if let device = attempt.device { objects.remove(device) }
      self.attempt?.device = nil
      self.attempt?.wasKnown = false
      enter(.filtering, at: now)
    // An old bluetoothd has no filters.
    case .filtering: enter(.discovering, at: now)
    case .discovering:
      // The end of the step is the device, or its deadline.
      guard let failure else { return }
      // bluetoothd finds no new devices in the discovery of another program.
      if failure.isInProgress { enter(.awaitingDiscovery, at: now) } else { fail(failure.error, at: now) }
    case .stoppingDiscovery: enter(.pairing, at: now)
    case .trusting, .disconnecting: awaitKeys(at: now)
    case .cancelling:
      // The reply to Pair follows.
      if attempt.pairCall == nil { undo(at: now) }
    case .removing:
      if let failure, !failure.isUnknownObject { keepForLater(at: now) } else { bonds.endNewBond(at: now) }
      enter(.unregistering, at: now)
    case .unregistering: finishOrAwaitBluetoothdsEnd(at: now)
    case .openingBus, .awaitingDiscovery, .pairing, .awaitingKeys, .awaitingBluetoothdsEnd: break
    }
  }

  private mutating func failOr(_ next: BusAttempt.Step, _ failure: BusCallError?, at now: Instant) {
    if let failure { fail(failure.error, at: now) } else { enter(next, at: now) }
  }

  /// The list is complete: pairs with the device if bluetoothd has it, or looks for it.
  private mutating func chooseDevice(at now: Instant) {
    guard let request = attempt?.request else { return }
    guard let adapterPath else { return fail(.radioIsGone, at: now) }
    guard let device = objects.device(of: adapterPath, where: { isSought($0, by: request) }) else {
      return enter(.filtering, at: now)
    }
    attempt?.device = device
    attempt?.wasKnown = true
    guard objects.isPaired(device) else { return enter(.pairing, at: now) }
    guard !request.replacesBond else { return enter(.removingOldBond, at: now) }
    let isOwn = objects.address(of: device).map { bonds.stored.areGood(for: $0) } ?? false
    fail(isOwn ? .alreadyBonded : .alreadyPaired(isRemoved: false), at: now)
  }

  /// Whether a request means the device of this address: the same, or a private address of the same identity.
  func isSought(_ address: DeviceAddress, by request: PairingRequest) -> Bool {
    let sought = request.device.settled
    if address == sought { return true }
    let keys = bonds.stored.compactMap { $0.keys.identityKey(of: $0.identity) }
    return keys.contains {
      ($0.identity == sought || $0.resolves(sought)) && ($0.identity == address || $0.resolves(address))
    }
  }

  /// The address that bluetoothd has for the device, its identity once it is paired.
  var attemptAddress: DeviceAddress? { attempt?.device.flatMap { objects.address(of: $0) } }

  /// A device was reported, or its properties changed.
  mutating func receiveDevice(_ path: String, at now: Instant) {
    guard let attempt, [.discovering, .awaitingDiscovery].contains(attempt.step), let adapterPath,
      objects.devices[path]?.properties.adapter == adapterPath, let address = objects.address(of: path),
      isSought(address, by: attempt.request)
    else { return finishIfKeysAreKnown(at: now) }
    self.attempt?.device = path
    enter(.stoppingDiscovery, at: now)
  }

  /// bluetoothd forgot a device: without it there is nothing to pair with, or to undo. The reply to `Pair` is to follow
  /// and gives the reason.
  mutating func receiveRemoval(of path: String, at now: Instant) {
    guard let attempt, attempt.device == path else { return }
    switch attempt.step {
    case .pairing: self.attempt?.stepEnd = now.advanced(milliseconds: Self.removedPairMilliseconds)
    case .stoppingDiscovery, .trusting, .disconnecting, .awaitingKeys:
      self.attempt?.device = nil
      self.attempt?.isPaired = false
      fail(.unknownToBluetoothd, at: now)
    case .openingBus, .registering, .registeringAgain, .listing, .removingOldBond, .filtering, .discovering,
      .awaitingDiscovery, .cancelling, .removing, .unregistering, .awaitingBluetoothdsEnd:
      break
    }
  }

  mutating func receivePairReply(_ failure: BusCallError?, at now: Instant) {
    guard let attempt else { return }
    self.attempt?.pairCall = nil
    self.attempt?.question = nil
    if failure == nil {
      self.attempt?.isPaired = true
      // The next run has to know if this one ends before the pairing does.
      bonds.addNewBond(identity(of: attempt), at: now.advanced(milliseconds: BusBonds.retryMilliseconds))
    }
    guard attempt.step == .pairing else {
      // It was cancelled meanwhile.
      if attempt.step == .cancelling, attempt.call == nil { undo(at: now) }
      return
    }
    guard let failure else {
      return enter(attempt.request.isInputDevice ? .trusting : .disconnecting, at: now)
    }
    // A bond that another program made is not this attempt's to remove.
    if failure.isAlreadyThere { self.attempt?.wasKnown = true }
    fail(failure.error(of: attempt, at: now), at: now)
  }

  mutating func stepTimedOut(at now: Instant) {
    guard let attempt else { return }
    switch attempt.step {
    case .openingBus: endAttempt(.bluetoothdChanged, at: now)
    case .registering, .registeringAgain, .listing, .removingOldBond:
      fail(.notSupported("bluetoothd does not reply"), at: now)
    case .filtering: enter(.discovering, at: now)
    case .discovering: fail(.unknownToBluetoothd, at: now)
    case .awaitingDiscovery: enter(.discovering, at: now)
    case .stoppingDiscovery: enter(.pairing, at: now)
    case .pairing:
      let isRemoved = attempt.device.map { objects.devices[$0] == nil } ?? true
      fail(isRemoved ? .unknownToBluetoothd : .timeout(isAsking: attempt.isAsking), at: now)
    case .trusting, .disconnecting: awaitKeys(at: now)
    case .awaitingKeys: succeed(at: now)
    case .cancelling:
      // Whatever comes of it, bluetoothd removes it later.
      if attempt.pairCall != nil { self.attempt?.isPaired = true }
      self.attempt?.pairCall = nil
      undo(at: now)
    case .removing:
      keepForLater(at: now)
      enter(.unregistering, at: now)
    case .unregistering, .awaitingBluetoothdsEnd: finish(at: now)
    }
  }

  private mutating func awaitKeys(at now: Instant) {
    enter(.awaitingKeys, at: now)
    finishIfKeysAreKnown(at: now)
  }
}
