// SPDX-License-Identifier: GPL-3.0-or-later

/// What an accessory supports: `ASAccessory.SupportOptions` with its raw values (bit 0 is unused).
public struct SupportOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Bluetooth Low Energy pairing.
  public static let bluetoothPairingLE = SupportOptions(rawValue: 1 << 1)
  /// Bridging to the classic transport.
  public static let bluetoothTransportBridging = SupportOptions(rawValue: 1 << 2)
  /// The Bluetooth Low Energy HID service.
  public static let bluetoothHID = SupportOptions(rawValue: 1 << 3)
}
