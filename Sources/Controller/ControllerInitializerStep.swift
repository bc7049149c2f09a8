// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

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

extension ControllerProfile {
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
