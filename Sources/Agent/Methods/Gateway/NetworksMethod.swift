// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest
import Varlink
import Wireless

/// `Networks`: the networks in reach, those whose names match an item or all of them.
enum NetworksMethod: GatewayMethod {
  static let name = GatewayMethodName.networks

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    let all = (try? call.parameters.bool(GatewayInterface.includesAll)) ?? false
    return .stream(NetworkStream(call.agent.networks.strongestByName.map(\.name), all: all))
  }
}

/// One network a reply, the strongest first. One that leaves the table meanwhile is left out.
private struct NetworkStream: ReplyStream {
  private var names: ArraySlice<NetworkName>
  private let all: Bool

  init(_ names: [NetworkName], all: Bool) {
    self.names = names[...]
    self.all = all
  }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    while let name = names.popFirst() {
      guard let line = agent.line(ofNetwork: name), all || !line.items.isEmpty else { continue }
      return .reply(Message.element("network", line))
    }
    return .end(Message.reply())
  }
}
