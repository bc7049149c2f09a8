// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Pairing
import Registry
import Setup

// A stand-in until the backends are there.

extension AgentCore {
  /// Begins to pair a device.
  func pair(_ request: PairingRequest) {
    followPairing(.ended(request.id, .failure(.notSupported("this agent has no way to pair"))))
  }

  /// Passes on a person's answer.
  func answerPairing(_ id: PairingID, _ answer: PairingAnswer) {}

  func cancelPairing(_ id: PairingID) {}

  /// Removes the bond of a device.
  func unpair(_ identity: DeviceAddress, owner: BondOwner) {}

  /// Loads the keys of the registry's bonds, and follows devices by their identity keys.
  func bondsChanged() {}

  /// Whether bluetoothd runs on this machine.
  var isBluetoothdRunning: Bool { false }
}
