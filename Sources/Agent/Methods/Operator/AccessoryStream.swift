// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import DeviceLines
import Interfaces
import Manifest
import Registry
import Setup
import Varlink
import Wireless

/// `List`: the accessories of every app, or of one, one a reply.
struct AccessoryStream: ReplyStream {
  /// nil for all.
  let apps: Set<String>?
  /// The number in the registry of the last accessory that was sent.
  var last: Int64 = 0

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    let apps = apps
    guard let next = agent.setupCore.registry.accessory(after: last, where: { apps.includes($0.app) }) else {
      return .end(Message.reply())
    }
    last = next.number
    return .reply(Message.element("accessory", agent.line(of: next)))
  }
}
