// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The scan settings of a controller: the result of a plan at one time for one controller.
struct ScanTarget: Equatable, Sendable {
  var le1M: ScanParameters
  /// nil does not scan the coded PHY.
  var coded: ScanParameters?
  var isExtended: Bool
  var ownAddress: OwnAddressType

  init(_ plan: ScanPlan, isActive: Bool, on profile: ControllerProfile) {
    isExtended = profile.scansExtended && (plan.usesExtendedScanning || !profile.knowsLegacyScan)
    ownAddress = profile.hasPublicAddress ? .public : .random
    le1M = plan.parameters(isActive ? .active : .passive)
    if plan.usesCodedPHY && isExtended && profile.scansCoded { shareWithCoded() }
  }

  /// Returns the command that enables or disables the scan. Duplicates are never filtered: changed payloads and readings
  /// would be lost.
  func enable(_ isEnabled: Bool) -> CommandPacket {
    isExtended ? .leSetExtendedScanEnable(isEnabled) : .leSetScanEnable(isEnabled)
  }

  var parameters: CommandPacket {
    isExtended
      ? .leSetExtendedScanParameters(le1M: le1M, coded: coded, ownAddress: ownAddress)
      : .leSetScanParameters(le1M, ownAddress: ownAddress)
  }

  /// Gives each PHY half of the window: two windows that exceed the interval make a controller choose.
  private mutating func shareWithCoded() {
    le1M.window = max(le1M.window / 2, ScanParameters.legacyRange.lowerBound)
    coded = le1M
  }
}
