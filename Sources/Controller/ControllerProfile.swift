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

  /// Stores the values that a step's command returned; returns false if they are truncated.
  mutating func receive(_ returned: RawSpan, of step: ControllerInitializerStep) -> Bool {
    switch step {
    case .reset, .eventMask, .leEventMask, .ownAddress: return true
    case .commands:
      guard let commands = SupportedCommands(returned: returned) else { return false }
      noteSupportedCommands(commands)
    case .version:
      version = LocalVersion(returned: returned)
      return version != nil
    case .address:
      var cursor = ByteCursor(returned)
      guard let found = cursor.uint48() else { return false }
      address = found
    case .features:
      guard let found = LEFeatures(returned: returned) else { return false }
      features = found
    }
    return true
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

/// The commands of the initialisation in their order (Core Specification 5.4, Volume 4, Part E, 7.3, 7.4 and 7.8).
public enum ControllerInitializerStep: Equatable, CaseIterable, Sendable {
  case reset, commands, version, address, features, eventMask, leEventMask
  /// Only for a controller without a public address, which would refuse active scans.
  case ownAddress

  /// Returns the step's command. `ownAddress` are the 48 bits for a controller without an address.
  func packet(ownAddress: UInt64) -> CommandPacket {
    switch self {
    case .reset: .reset
    case .commands: .readSupportedCommands
    case .version: .readLocalVersion
    case .address: .readAddress
    case .features: .leReadLocalFeatures
    case .eventMask: .setEventMask(EventMask.afterReset.union(.leMeta))
    case .leEventMask: .leSetEventMask(Self.reports)
    case .ownAddress: .leSetRandomAddress(ownAddress)
    }
  }

  /// Returns the next step that this controller needs; nil after the last.
  func next(on profile: ControllerProfile) -> Self? {
    let steps = Self.allCases.filter { $0 != .ownAddress || !profile.hasPublicAddress }
    return steps.firstIndex(of: self).flatMap { $0 + 1 < steps.count ? steps[$0 + 1] : nil }
  }

  private static var reports: LEEventMask {
    LEEventMask.afterReset.union(.advertisingReport).union(.directedAdvertisingReport)
      .union(.extendedAdvertisingReport)
  }
}
