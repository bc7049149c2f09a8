// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What a controller has said about itself. Its version decides nothing.
public struct ControllerProfile: Equatable, Sendable {
  public var version: LocalVersion?
  /// The public address, in the low 48 bits; all clear or all set when it has none.
  public var address: UInt64 = 0
  public var features = LEFeatures(rawValue: 0)
  /// Both extended scan commands are known.
  public var knowsExtendedScan = false
  /// Both legacy scan commands are known.
  public var knowsLegacyScan = false

  public init() {}

  public var hasPublicAddress: Bool { !StaticAddress.isMissing(address) }
  /// Extended scanning needs the feature and the commands (Core Specification 5.4, Volume 6, Part B, 4.6.13).
  public var scansExtended: Bool { features.contains(.extendedAdvertising) && knowsExtendedScan }
  /// Only extended scanning knows PHYs.
  public var scansCoded: Bool { scansExtended && features.contains(.codedPHY) }

  mutating func take(_ commands: SupportedCommands) {
    knowsExtendedScan =
      commands.contains(.leSetExtendedScanParameters) && commands.contains(.leSetExtendedScanEnable)
    knowsLegacyScan = commands.contains(.leSetScanParameters) && commands.contains(.leSetScanEnable)
  }
}
