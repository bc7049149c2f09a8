// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest
import Varlink
import Wireless

/// `Networks`: the networks in reach, those whose names match an item or all of them, the strongest first. One that leaves
/// the table meanwhile is left out.
struct NetworkStream: ReplyStream {
  var names: ArraySlice<NetworkName>
  let all: Bool

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    while let name = names.popFirst() {
      guard let line = agent.line(ofNetwork: name), all || !line.items.isEmpty else { continue }
      return .reply(Message.element("network", line))
    }
    return .end(Message.reply())
  }
}
