// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Manifest

/// What a device is known again by.
public enum DeviceIdentity: Hashable, Sendable {
  /// Where it advertises from; the identity address once a bond tells it.
  case bluetooth(DeviceAddress)
  /// The whole name of its network, for a device without Bluetooth.
  case network([UInt8])

  public var address: DeviceAddress? {
    if case .bluetooth(let address) = self { address } else { nil }
  }

  public var ssid: [UInt8]? {
    if case .network(let ssid) = self { ssid } else { nil }
  }

  /// The address, AA:BB:CC:DD:EE:FF, or the network's name, for people.
  public var text: String {
    switch self {
    case .bluetooth(let address): AddressText.text(of: address.bits)
    case .network(let ssid): String(decoding: ssid, as: UTF8.self)
    }
  }
}
