// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Interfaces
import JSON
import Manifest
import Explanation
import HCI
import Varlink
import Wireless

/// `Try`: what one item says about every device in the table, or every network in reach. It listens first, if some
/// clauses hold on what a device sent last, and others do not: these may hold on what it sends next.
enum TryMethod: GatewayMethod {
  static let name = GatewayMethodName.try

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    guard let wanted = try? call.parameters.string("item") else { throw .invalidParameter("item") }
    let seconds = try call.parameters.listeningSeconds()
    let item: Int
    do throws(ItemNameError) {
      item = try call.agent.dataPath.items.index(named: wanted)
    } catch {
      switch error {
      case .unknown(let known): throw .itemNotFound(wanted, candidates: known)
      case .ambiguous(let candidates): throw .itemAmbiguous(wanted, candidates: candidates)
      }
    }
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
    let addresses = seconds == 0 ? [] : call.agent.dataPath.addressesNear(item)
    return .stream(
      TrialStream(item: item, of: entry, try HeardFrames(of: addresses, seconds: seconds, call.agent)))
  }
}

/// One device and descriptor a reply, row by row.
private struct TrialStream: ReplyStream {
  private let item: Int
  private let expected: ManifestItem
  private var frames: HeardFrames
  private var row = 0
  private var waiting: [Trial] = []

  init(item: Int, of expected: ManifestItem, _ frames: HeardFrames) {
    self.item = item
    self.expected = expected
    self.frames = frames
  }

  func deadline(_ agent: AgentCore) -> Instant? { frames.end }

  func release(_ agent: AgentCore) { frames.release(agent) }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    guard frames.finish(agent) else { return .wait }
    // A reload may have given the index to another item.
    guard agent.dataPath.items.indices.contains(item), agent.dataPath.items[item] == expected else {
      return .end(Message.reply())
    }
    while true {
      if !waiting.isEmpty { return .reply(Message.element("trial", waiting.removeFirst())) }
      guard row < agent.dataPath.pipeline.rowCount else { return .end(Message.reply()) }
      if let view = agent.dataPath.device(atRow: row) {
        waiting = agent.dataPath.trials(of: frames.added(to: view), item: item)
      }
      row += 1
    }
  }
}

extension ManifestDataPath {
  /// The addresses of the strongest devices on which some clauses of an item hold, and others do not; at most
  /// ``DeviceSampler/devicesMax``.
  fileprivate func addressesNear(_ item: Int) -> Set<UInt64> {
    var addresses: Set<UInt64> = []
    for view in devices where addresses.count < DeviceSampler.devicesMax {
      let isNear = explanations(of: view, item: item).contains { $0.isNear && !$0.holds }
      if isNear { addresses.insert(view.device.address.bits) }
    }
    return addresses
  }
}
