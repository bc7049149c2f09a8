// SPDX-License-Identifier: GPL-3.0-or-later

/// A network that a program of this machine has joined before, by its name; never with its key.
public struct KnownNetwork: Hashable, Sendable {
  /// The program that has stored it.
  public enum Store: String, CaseIterable, Sendable {
    case networkManager, wpaSupplicant, iwd

    /// The program's own name.
    public var name: String {
      switch self {
      case .networkManager: "NetworkManager"
      case .wpaSupplicant: "wpa_supplicant"
      case .iwd: "iwd"
      }
    }
  }

  /// What a network's name has at most (IEEE 802.11-2020, 9.4.2.2).
  static let ssidBytesMax = 32

  /// 1 to 32 bytes, not only zeros: a hidden name is none.
  public let ssid: [UInt8]
  public let store: Store

  public init?(ssid: [UInt8], store: Store) {
    guard (1...Self.ssidBytesMax).contains(ssid.count), ssid.contains(where: { $0 != 0 }) else { return nil }
    self.ssid = ssid
    self.store = store
  }
}
