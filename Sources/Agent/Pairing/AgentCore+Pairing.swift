// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import HCI
import Manifest
import Pairing
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
      counters.reception.mgmtMessagesTruncated &+= 1
    }
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
    case .listener: pairing.close(.notPermitted)
    case .adapter: pairing.close(.notSupported("the agent holds the adapter with access = \"exclusive\""))
    case .controller, .recording:
      pairing.close(.notSupported("the gateway's radio is simulated or recorded"))
    }
    performPairingOutput()
  }

  func closePairing(at time: Instant) {
    turn.advance(to: time)
    pairing.close(.radioIsGone)
    performPairingOutput()
  }

  // MARK: - The setup's wishes

  /// Begins to pair a device.
  func pair(_ request: PairingRequest) {
    if let action = pairing.pair(request, at: now) { performAction(action) }
    performPairingOutput()
  }

  /// Passes on a person's answer.
  func answerPairing(_ id: PairingID, _ answer: PairingAnswer) {
    _ = pairing.kernel.answer(id, answer, at: now)
    performPairingOutput()
  }

  func cancelPairing(_ id: PairingID) {
    pairing.kernel.cancel(id, at: now)
    performPairingOutput()
  }

  /// Removes the bond of a device.
  func unpair(_ identity: DeviceAddress, owner: BondOwner) {
    guard owner == .gateway else { return }
    pairing.kernel.unpair(identity, at: now)
    performPairingOutput()
  }

  /// Loads the keys of the registry's bonds.
  func bondsChanged() {
    pairing.kernel.setBonds(kernelBonds, at: now)
    performPairingOutput()
  }

  /// Whether bluetoothd runs on this machine.
  var isBluetoothdRunning: Bool { pairing.isBluetoothdRunning ?? false }

  /// The bonds whose keys the agent keeps.
  var kernelBonds: [KernelBond] {
    setupCore.bonds.compactMap { device in
      guard let record = device.bond.record, record.owner == .gateway else { return nil }
      return KernelBond(identity: device.identity, keys: record.keys, isLost: !device.bond.isBonded)
    }
  }

  // MARK: - Time and effects

  func advancePairing() {
    guard let due = pairing.deadline, due <= now else { return }
    if pairing.advance(to: now) { enqueue(.findBluetoothd) }
    performPairingOutput()
  }

  func performPairingOutput() {
    for command in pairing.kernel.takeCommands() { enqueue(.managePairing(command)) }
    for action in pairing.kernel.takeActions() { performAction(action) }
    for notice in pairing.takeNotices() { enqueue(.log(.pairing(notice))) }
  }

  private func performAction(_ action: PairingAction) {
    pairing.note(action)
    followPairing(action)
  }
}
