// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// What a controller is told to scan: the outcome of a plan at a time on a certain controller.
struct ScanTarget: Equatable, Sendable {
  var le1M: ScanParameters
  /// Nil leaves the coded PHY alone.
  var coded: ScanParameters?
  var isExtended: Bool
  var ownAddress: OwnAddressType

  init(_ plan: ScanPlan, isActive: Bool, on profile: ControllerProfile) {
    isExtended = profile.scansExtended && (plan.usesExtendedScanning || !profile.knowsLegacyScan)
    ownAddress = profile.hasPublicAddress ? .public : .random
    le1M = plan.parameters(isActive ? .active : .passive)
    if plan.usesCodedPHY && isExtended && profile.scansCoded { shareWithCoded() }
  }

  /// Duplicates are never filtered: a payload that changes would be lost, and so would the readings.
  func enable(_ isEnabled: Bool) -> CommandPacket {
    isExtended ? .leSetExtendedScanEnable(isEnabled) : .leSetScanEnable(isEnabled)
  }

  var parameters: CommandPacket {
    isExtended
      ? .leSetExtendedScanParameters(le1M: le1M, coded: coded, ownAddress: ownAddress)
      : .leSetScanParameters(le1M, ownAddress: ownAddress)
  }

  /// Windows that do not fit into one interval together make a controller choose; halves fit.
  private mutating func shareWithCoded() {
    le1M.window = max(le1M.window / 2, ScanParameters.legacyRange.lowerBound)
    coded = le1M
  }
}
