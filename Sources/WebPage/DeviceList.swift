// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON

/// The devices in sight, for the screens that look at them.
///
/// Capacity: the ``countMax`` strongest; the message says how many more there are.
enum DeviceList {
  static let countMax = 60

  static func message(_ devices: [DeviceLine], _ full: [TurnedAwayLine]) -> [UInt8] {
    let sorted = devices.sorted { ($0.filteredRSSI ?? -128) > ($1.filteredRSSI ?? -128) }
    var counts: [String: (matching: Int, found: Int)] = [:]
    for item in devices.lazy.flatMap(\.items) {
      let path = "\(item.app)/\(item.item)"
      let count = counts[path] ?? (0, 0)
      counts[path] = (count.matching + 1, count.found + (item.isFound ? 1 : 0))
    }
    return StreamMessage.event("devices") { json in
      json.objects("devices", Array(sorted.prefix(countMax)))
      json.member("more", max(0, sorted.count - countMax))
      json.objects("items", counts.sorted { $0.key < $1.key }) { json, entry in
        json.member("item", entry.key)
        json.member("matching", entry.value.matching)
        json.member("found", entry.value.found)
      }
      json.objects("turnedAway", full)
    }
  }
}
