// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import Interfaces

extension PairingNotice {
  /// What happened. Keys are never part of it.
  var sentence: String {
    switch self {
    case .backend(.kernel):
      "devices are paired through the kernel; the agent has loaded the keys of its bonds"
    case .backend(.bluetoothd): "bluetoothd runs, and the keys of the agent's own bonds are not in the kernel"
    case .foreignAttemptRefused(let device):
      "a pairing with \(Self.text(device)) that the agent did not begin was refused"
    case .bondWasLost(let device):
      "the bond with \(Self.text(device)) is lost: pair the accessory again with accessoryctl pair"
    }
  }

  private static func text(_ device: DeviceAddress) -> String { WireAddress(device).text ?? "a device" }
}
