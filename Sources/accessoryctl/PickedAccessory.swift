// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import ToolText

/// An accessory that was set up: a line of `pick --app NAME --json` (`Config/schema/picked.schema.json`).
struct PickedAccessory: Line {
  let app: String
  let identifier: String
  let displayName: String

  func writeMembers(to json: inout JSONWriter) {
    json.member("app", app)
    json.member("accessory", identifier)
    json.member("displayName", displayName)
  }

  /// One line for people.
  var text: String { "\(shown(displayName)) (\(shown(app))): \(shown(identifier))\n" }
}
