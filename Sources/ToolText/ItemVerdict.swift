// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Interfaces
import JSON
import Manifest

/// What one identity of an item says about a device: what the lines of `explain` and `try` begin with.
protocol ItemVerdict {
  var address: DeviceAddress { get }
  var app: String { get }
  var item: String { get }
  var isAlternate: Bool { get }
  var holds: Bool { get }
  var presence: Presence? { get }
}

extension ItemVerdict {
  func writeVerdict(to json: inout JSONWriter) {
    json.member("address", address.text)
    json.member("addressType", address.type.text)
    json.member("app", app)
    json.member("item", item)
    json.member("identity", isAlternate ? "alternate" : "descriptor")
    json.member("matches", holds)
    json.member("isFound", presence?.isFound ?? false)
    json.member("presence", presence?.text)
  }
}

extension ItemExplanation: ItemVerdict {}
extension Trial: ItemVerdict {}
