// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Interfaces
import JSON
import Manifest
import Explanation
import Varlink
import Wireless

/// `Try`: what one item says about every device in the table, or every network in reach.
enum TryMethod: GatewayMethod {
  static let name = GatewayMethodName.try

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    guard let wanted = try? call.parameters.string("item") else { throw .invalidParameter("item") }
    do throws(ItemNameError) {
      let item = try call.agent.dataPath.items.index(named: wanted)
      let entry = call.agent.dataPath.items[item]
      if let reason = call.agent.reasonNothingIsFound(by: entry) {
        return .reply(Message.reply { $0.member("reasonNothingIsFound", reason.sentence) })
      }
      guard !entry.item.descriptor.isFoundByNetwork else {
        let names = call.agent.networks.strongestByName.map(\.name)
        if names.isEmpty {
          let reason = call.agent.wirelessLine?.problem ?? Gateway.reasonNoNetworkIsKnown
          return .reply(Message.reply { $0.member("reasonNothingIsFound", "finds nothing now: \(reason)") })
        }
        return .stream(NetworkTrials(item: item, of: entry, names))
      }
      return .stream(TrialStream(item: item, of: entry))
    } catch {
      switch error {
      case .unknown(let known): throw .itemNotFound(wanted, candidates: known)
      case .ambiguous(let candidates): throw .itemAmbiguous(wanted, candidates: candidates)
      }
    }
  }
}

/// One device and descriptor a reply, row by row.
private struct TrialStream: ReplyStream {
  private let item: Int
  private let expected: ManifestItem
  private var row = 0
  private var waiting: [Trial] = []

  init(item: Int, of expected: ManifestItem) {
    self.item = item
    self.expected = expected
  }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    // A reload may have given the index to another item.
    guard agent.dataPath.items.indices.contains(item), agent.dataPath.items[item] == expected else {
      return .end(Message.reply())
    }
    while true {
      if !waiting.isEmpty { return .reply(Message.element("trial", waiting.removeFirst())) }
      guard row < agent.dataPath.pipeline.rowCount else { return .end(Message.reply()) }
      if let view = agent.dataPath.device(atRow: row) {
        waiting = agent.dataPath.trials(of: view, item: item)
      }
      row += 1
    }
  }
}
