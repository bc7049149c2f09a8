// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import HCI
import Manifest
public import Pairing
import Registry
import Setup

// Connects pairings to the radio, the registry and the log.

extension AgentCore {
  // MARK: - What the shell reports

  /// Receives a message of the kernel's management interface over the socket for pairings.
  public func receive(pairingMessage message: RawSpan, at time: Instant) {
    turn.advance(to: time)
    do throws(MgmtError) {
      pairing.receive(try MgmtEvent(parsing: message), at: now)
      performPairingOutput()
    } catch {
      ignoreMgmtMessage(error)
      guard case .invalidDigits(_, let device) = error else { return }
      pairing.receiveInvalidDigits(of: device, at: now)
      performPairingOutput()
    }
  }

  /// Receives what bluetoothd or the bus reports, and replies to calls.
  public func receive(_ event: BusEvent, at time: Instant) {
    turn.advance(to: time)
    pairing.receive(event, at: now)
    performPairingOutput()
  }

  /// The commands that end a pairing, before the agent ends; for the socket for pairings.
  public var pairingEndingCommands: [MgmtCommand] { pairing.kernel.endingCommands }

  // MARK: - The radio

  func openPairing(_ kind: RadioKind, at time: Instant) {
    turn.advance(to: time)
    switch kind {
    case .sharedAdapter(let index, _):
      // A radio that keeps the adapter's power looks for bluetoothd itself.
      pairing.open(
        adapter: index, isSought: configuration.manifest.gateway.power == .on, at: now)
    case .listener: pairing.close(.notPermitted, at: now)
    case .adapter(let index): pairing.openExclusively(adapter: index, at: now)
    case .controller, .recording: pairing.close(.radioIsSimulated, at: now)
    }
    performPairingOutput()
  }

  func closePairing(at time: Instant) {
    turn.advance(to: time)
    pairing.close(.radioIsGone, at: now)
    performPairingOutput()
  }

  // MARK: - The setup's wishes

  /// Begins to pair a device.
  func pair(_ request: PairingRequest) {
    pairing.pair(request, at: now)
    performPairingOutput()
  }

  /// Passes on a person's answer.
  func answerPairing(_ id: PairingID, _ answer: PairingAnswer) {
    pairing.answer(id, answer, at: now)
    performPairingOutput()
  }

  func cancelPairing(_ id: PairingID) {
    pairing.cancel(id, at: now)
    performPairingOutput()
  }

  /// Removes the bond of a device.
  func unpair(_ identity: DeviceAddress, owner: BondOwner) {
    pairing.unpair(identity, owner: owner, at: now)
    performPairingOutput()
  }

  /// Has bluetoothd keep a bond that it was to remove.
  func keepBond(_ identity: DeviceAddress) {
    pairing.keepBond(identity, at: now)
    performPairingOutput()
  }

  /// Loads the keys of the registry's bonds, and follows those of bluetoothd.
  func bondsChanged() {
    pairing.setBonds(kernelBonds, busBonds, at: now)
    performPairingOutput()
  }

  /// Keeps in the registry that the bond of a device is lost, if it has one whose keys the kernel has.
  func bondWasRefused(_ identity: DeviceAddress) {
    guard isRefusalCredible(from: identity) == true else { return }
    performAction(.bondWasLost(identity))
    performPairingOutput()
  }

  /// Whether keys that this device has refused are lost; nil if it has no bond, or one that is lost already.
  func isRefusalCredible(from identity: DeviceAddress) -> Bool? {
    setupCore.ownerOfGoodBond(with: identity).map { pairing.isRefusalCredible(of: identity, $0) }
  }

  /// Whether bluetoothd runs on this machine.
  var isBluetoothdRunning: Bool { pairing.isBluetoothdRunning ?? false }

  /// The bonds whose keys the agent keeps, and those that bluetoothd has lost: the kernel finds a device with private
  /// addresses by its identity key, to pair it again.
  var kernelBonds: [KernelBond] {
    setupCore.bonds.compactMap { device in
      guard let record = device.bond.record else { return nil }
      let isFound = !device.bond.isBonded && record.keys.identityKey != nil
      guard record.owner == .gateway || isFound else { return nil }
      return KernelBond(identity: device.identity, keys: record.keys, isLost: !device.bond.isBonded)
    }
  }

  /// The bonds that bluetoothd keeps, and those that the agent has lost.
  var busBonds: [BusBond] {
    setupCore.bonds.compactMap { device in
      guard let record = device.bond.record, record.owner == .bluetoothd || !device.bond.isBonded else {
        return nil
      }
      return BusBond(
        identity: device.identity, identityKey: record.keys.identityKey, isLost: !device.bond.isBonded)
    }
  }

  // MARK: - Time and effects

  func advancePairing() {
    guard let due = pairing.deadline, due <= now else { return }
    if pairing.advance(to: now) { enqueue(.findBluetoothd) }
    performPairingOutput()
  }

  func performPairingOutput() {
    if pairing.takeDiscoveryChange() {
      radio.follow(scanPlan, at: now)
      performRadioOutput()
    }
    for command in pairing.takeCommands() { enqueue(.managePairing(command)) }
    if let isOpen = pairing.takeBusChange() { enqueue(isOpen ? .openBus : .closeBus) }
    for call in pairing.takeCalls() { enqueue(.callBus(call)) }
    for action in pairing.takeActions() { performAction(action) }
    for notice in pairing.takeNotices() { enqueue(.log(.pairing(notice))) }
  }

  private func performAction(_ action: PairingAction) {
    pairing.note(action)
    followPairing(action)
  }
}
