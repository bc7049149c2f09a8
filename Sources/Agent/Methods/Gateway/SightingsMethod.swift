// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Interfaces
import Manifest
import Setup
import DeviceLines
import Varlink

/// `Sightings`: the devices in the table, those that match an item or all of them, and the full items.
enum SightingsMethod: GatewayMethod {
  static let name = GatewayMethodName.sightings

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    .stream(SightingsStream(all: (try? call.parameters.bool(GatewayInterface.includesAll)) ?? false))
  }
}

/// One device a reply, row by row, then one full item a reply.
///
/// The stream holds no copy of the table. A row that changes hands while a client reads slowly shows its new device.
private struct SightingsStream: ReplyStream {
  let all: Bool
  private var row = 0
  private var fullItems: [TurnedAwayLine]?

  init(all: Bool) { self.all = all }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    while row < agent.dataPath.pipeline.rowCount {
      defer { row += 1 }
      guard let device = agent.dataPath.pipeline.device(at: row), all || device.matchCount > 0,
        let view = agent.dataPath.device(atRow: row)
      else { continue }
      return .reply(Message.element("device", DeviceLine(view)))
    }
    var left = fullItems ?? agent.dataPath.turnedAwayLines
    guard !left.isEmpty else { return .end(Message.reply()) }
    let next = left.removeFirst()
    fullItems = left
    return .reply(Message.element("turnedAway", next))
  }
}
