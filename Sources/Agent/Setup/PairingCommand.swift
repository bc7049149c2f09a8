// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Pairing
import Registry
import Setup

/// What a setup asks of the pairings.
enum PairingCommand: Equatable {
  case pair(PairingRequest)
  case answer(PairingID, PairingAnswer)
  case cancel(PairingID)
  /// Removes the bond of a device, by its identity.
  case unpair(DeviceAddress, BondOwner)
  /// Does not remove the bond that bluetoothd was to remove.
  case keepBond(DeviceAddress)
}

extension AgentCore {
  func performPairing(_ command: PairingCommand) {
    if let script = setupLink.pairingScript { return script(command) }
    switch command {
    case .pair(let request): pair(request)
    case .answer(let id, let answer): answerPairing(id, answer)
    case .cancel(let id): cancelPairing(id)
    case .unpair(let identity, let owner): unpair(identity, owner: owner)
    case .keepBond(let identity): keepBond(identity)
    }
  }

  /// Passes what a pairing backend reports to the setup that waits for it.
  func followPairing(_ action: PairingAction) {
    switch action {
    case .ask(let id, let question): follow(setupCore.pairingAsks(id, question))
    case .ended(let id, let result): follow(setupCore.pairingEnded(id, result))
    case .bondWasLost(let identity): follow(setupCore.bondWasLost(identity))
    case .removalWaits(let identity): follow(setupCore.removalWaits(identity))
    case .removalEnded(let identity): follow(setupCore.removalEnded(identity))
    case .foreignAttemptRefused, .commandWasRejected, .busMessageWasIgnored: break
    }
    turn.isBusy = true
  }

  /// What an operator should know before choosing a device that will be paired; nil when there is nothing to say.
  func pairingNote(ofInputDevices isOfInputDevices: Bool) -> String? {
    if let refusal = pairing.refusal { return refusal.note }
    return isOfInputDevices && pairing.isBluetoothdRunning == false
      ? PairingError.inputDeviceNeedsBluetoothd.note : nil
  }
}
