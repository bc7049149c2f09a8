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
    guard Self.isName(ssid) else { return nil }
    self.ssid = ssid
    self.store = store
  }

  static func isName(_ ssid: [UInt8]) -> Bool {
    (1...ssidBytesMax).contains(ssid.count) && ssid.contains { $0 != 0 }
  }
}

/// The names of networks that a file of a store has.
public struct StoredNames: Equatable, Sendable {
  public private(set) var names: [[UInt8]] = []
  /// Whether the file has a network of which the name cannot be read.
  public internal(set) var isDamaged = false

  init() {}

  /// Adds a name; nil, and bytes that are no network's name, are damage.
  mutating func append(_ name: [UInt8]?) {
    if let name, KnownNetwork.isName(name) { names.append(name) } else { isDamaged = true }
  }
  mutating func append(_ others: StoredNames) {
    names += others.names
    if others.isDamaged { isDamaged = true }
  }
}
