// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import Interfaces
import JSON
import Manifest
import Varlink
import Wireless

/// The answer of `Explain` about a network: the network, where it is in sight, then item by item what its name was
/// compared with.
struct NetworkExplanations: ReplyStream {
  private let name: NetworkName
  private var isGreeted = false
  private var item = 0

  init(_ name: NetworkName) { self.name = name }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    if !isGreeted {
      isGreeted = true
      if let line = agent.line(ofNetwork: name) { return .reply(Message.element("network", line)) }
    }
    while item < agent.dataPath.items.count {
      defer { item += 1 }
      if let explanation = agent.explanation(ofNetwork: name.bytes, item: item) {
        return .reply(Message.element("networkExplanation", explanation))
      }
    }
    return .end(Message.reply())
  }
}

/// The answer of `Try` about an item that is found by its network: each network in reach, the strongest first.
struct NetworkTrials: ReplyStream {
  private let item: Int
  private let expected: ManifestItem
  private var names: ArraySlice<NetworkName>

  init(item: Int, of expected: ManifestItem, _ names: [NetworkName]) {
    self.item = item
    self.expected = expected
    self.names = names[...]
  }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    // A reload may have given the index to another item.
    guard agent.dataPath.items.indices.contains(item), agent.dataPath.items[item] == expected,
      let name = names.popFirst(), let explanation = agent.explanation(ofNetwork: name.bytes, item: item)
    else { return .end(Message.reply()) }
    return .reply(Message.element("networkExplanation", explanation))
  }
}

extension Parameters {
  /// The name in `network`, of which `networkHex` has the bytes where it is no text; nil when there is none.
  func network() throws(GatewayError) -> NetworkName? {
    let text: AirText?
    do throws(JSONMemberError) {
      text = try JSONObjectReader(object).airTextIfPresent("network")
    } catch { throw .invalidParameter("networkHex") }
    guard let text else { return nil }
    guard let name = NetworkName(text.bytes), !name.isHidden else { throw .invalidParameter("network") }
    return name
  }
}
