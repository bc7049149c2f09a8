// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The capabilities that a controller reported. Its version does not influence any decision.
public struct ControllerProfile: Equatable, Sendable {
  public var version: LocalVersion?
  /// The public address, in the low 48 bits; all clear or all set when it has none.
  public var address: UInt64 = 0
  public var features = LEFeatures(rawValue: 0)
  /// Whether both extended scan commands are supported.
  public var knowsExtendedScan = false
  /// Whether both legacy scan commands are supported.
  public var knowsLegacyScan = false

  public init() {}

  public var hasPublicAddress: Bool { !StaticAddress.isMissing(address) }
  /// Extended scanning needs the feature and the commands (Core Specification 5.4, Volume 6, Part B, 4.6.13).
  public var scansExtended: Bool { features.contains(.extendedAdvertising) && knowsExtendedScan }
  /// Only extended scanning knows PHYs.
  public var scansCoded: Bool { scansExtended && features.contains(.codedPHY) }

  mutating func noteSupportedCommands(_ commands: SupportedCommands) {
    knowsExtendedScan =
      commands.contains(.leSetExtendedScanParameters) && commands.contains(.leSetExtendedScanEnable)
    knowsLegacyScan = commands.contains(.leSetScanParameters) && commands.contains(.leSetScanEnable)
  }
}

/// The static random address that a controller without a public one uses in scan requests (Core Specification 5.4,
/// Volume 6, Part B, 1.3.2.1): the two highest bits are set, the others are random, neither all clear nor all set.
enum StaticAddress {
  /// Encrypted with the seed as key, so that the address does not reveal the seed.
  private static let label = Block128(high: 0, low: 0x7374_6174_6963)

  /// 48 bits; the same seed gives the same address.
  static func bits(seed: Block128) -> UInt64 {
    let random = AES128.encrypt(label, key: seed).low & (1 << 46 - 1)
    return 0b11 << 46 | min(max(random, 1), 1 << 46 - 2)
  }

  /// Whether 48 bits are not an address: a controller without an address reports only zeros or only ones.
  static func isMissing(_ bits: UInt64) -> Bool { bits == 0 || bits == 1 << 48 - 1 }
}
