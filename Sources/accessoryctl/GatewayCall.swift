// SPDX-License-Identifier: GPL-3.0-or-later

import JSON

/// The parameters of a call.
struct GatewayCall {
  var device: String?
  var item: String?
  var all: Bool?
  var seconds: Int?

  func write(to json: inout JSONWriter) {
    if let device { json.member("device", device) }
    if let item { json.member("item", item) }
    if let all { json.member("includesAll", all) }
    if let seconds { json.member("seconds", seconds) }
  }
}
