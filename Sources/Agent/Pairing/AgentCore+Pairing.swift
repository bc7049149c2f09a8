// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import Pairing
import Setup

// Connects pairings to the radio, the registry and the log.

extension AgentCore {
  // MARK: - What the shell reports

  /// Receives a message of the kernel's management interface over the socket for pairings.
  public func receive(pairingMessage message: RawSpan, at time: Instant) {
    turn.advance(to: time)
    do throws(MgmtError) {
      let event = try MgmtEvent(parsing: message)
      updatePairing { $0.receive(event, at: now) }
    } catch {
      ignoreMgmtMessage(error)
      guard case .invalidDigits(_, let device) = error else { return }
      updatePairing { $0.kernel.receiveInvalidDigits(of: device, at: now) }
    }
  }

  /// Receives what bluetoothd or the bus reports, and replies to calls.
  public func receive(_ event: BusEvent, at time: Instant) {
    turn.advance(to: time)
    updatePairing { $0.bluetoothd.receive(event, at: now) }
  }

  /// The commands that end a pairing, before the agent ends; for the socket for pairings.
  public var pairingEndingCommands: [MgmtCommand] { pairing.kernel.endingCommands }

  /// Stores in the registry that the bond of a device is lost, if it has one whose keys the kernel has.
  func bondWasRefused(_ identity: DeviceAddress) {
    guard isRefusalCredible(from: identity) == true else { return }
    updatePairing { $0.report(.bondWasLost(identity)) }
  }

  /// Whether keys that this device has refused are lost; nil if it has no bond, or one that is lost already.
  func isRefusalCredible(from identity: DeviceAddress) -> Bool? {
    setupCore.ownerOfGoodBond(with: identity).map { pairing.isRefusalCredible(of: identity, $0) }
  }

  /// Whether bluetoothd runs on this machine.
  var isBluetoothdRunning: Bool { pairing.isBluetoothdRunning ?? false }

  /// What an operator should know before choosing a device that will be paired; nil when there is nothing to say.
  func pairingNote(ofInputDevices isOfInputDevices: Bool) -> String? {
    if let refusal = pairing.refusal { return refusal.note }
    return isOfInputDevices && pairing.isBluetoothdRunning == false
      ? PairingError.inputDeviceNeedsBluetoothd.note : nil
  }

  // MARK: - Inputs and effects

  func advancePairing() {
    guard let due = pairing.deadline, due <= now else { return }
    updatePairing { $0.advance(to: now) }
  }

  /// Gives pairings an input, and performs what it causes.
  func updatePairing(_ input: (inout PairingLink) -> Void) {
    let neededDiscovery = pairing.needsDiscovery
    input(&pairing)
    if pairing.needsDiscovery != neededDiscovery { followScanPlan() }
    let (actions, reports) = pairing.takeOutput()
    for report in reports { passOn(report) }
    for action in actions { enqueue(action) }
  }

  /// Passes what a pairing backend reports to the setup that waits for it.
  func passOn(_ report: PairingAction) {
    follow(setupCore.advance(to: now))
    follow(setupCore.receive(report))
    turn.isBusy = true
  }
}
