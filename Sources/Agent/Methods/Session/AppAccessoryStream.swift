// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import Setup
import Varlink

/// `List`: the accessories of the session's app, in the order they were added, one a reply. Accessories that are hidden from
/// the app are left out.
///
/// The position is a number of the registry, so that changes between replies repeat no accessory.
struct AppAccessoryStream: SetupStream {
  let app: String
  /// The number in the registry of the last accessory that was sent.
  var last: Int64 = 0

  mutating func nextReply(_ setup: SetupCore, at now: Instant) -> StreamStep {
    guard let next = setup.accessory(ofApp: app, after: last) else { return .end(Message.reply()) }
    last = next.number
    return .reply(Message.element("accessory", AppAccessoryLine(next.accessory)))
  }
}
