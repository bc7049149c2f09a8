// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit
import Foundation

/// A scan that an app asked for: which of its accessories are reported, and how often.
struct CentralScan {
  /// nil for all.
  let services: [CBUUID]?
  let solicitedServices: [CBUUID]
  let reportsDuplicates: Bool
  private var reported: Set<UUID> = []

  init(services: [CBUUID]?, solicitedServices: [CBUUID], reportsDuplicates: Bool) {
    // An empty list means the same as none, as on iOS.
    self.services = services.flatMap { $0.isEmpty ? nil : $0 }
    self.solicitedServices = solicitedServices
    self.reportsDuplicates = reportsDuplicates
  }

  /// Whether the app receives this advertisement. An accessory counts as reported from then on.
  mutating func reports(_ advertisement: SourceAdvertisement) -> Bool {
    guard matches(advertisement) else { return false }
    return reported.insert(advertisement.identifier).inserted || reportsDuplicates
  }

  private func matches(_ advertisement: SourceAdvertisement) -> Bool {
    guard let services else { return true }
    return advertisement.services.contains { services.contains($0) }
      || advertisement.solicitedServices.contains { solicitedServices.contains($0) }
  }
}
