// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON

/// The devices in sight, for the screens that look at them.
///
/// Capacity: the ``countMax`` strongest; the message says how many more there are.
enum DeviceList {
  static let countMax = 60

  static func message(_ devices: [DeviceLine]) -> [UInt8] {
    let sorted = devices.sorted { ($0.filteredRSSI ?? -128) > ($1.filteredRSSI ?? -128) }
    return StreamMessage.event("devices") { json in
      json.objects("devices", Array(sorted.prefix(countMax)))
      json.member("more", max(0, sorted.count - countMax))
    }
  }
}
