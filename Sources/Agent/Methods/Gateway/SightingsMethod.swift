// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Interfaces
import Manifest
import Setup
import Explanation
import Varlink

/// `Sightings`: the devices in the table, those that match an item or all of them.
enum SightingsMethod: GatewayMethod {
  static let name = GatewayMethodName.sightings

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    .stream(SightingsStream(all: (try? call.parameters.bool(GatewayInterface.includesAll)) ?? false))
  }
}

/// One device a reply, row by row.
///
/// The stream holds no copy of the table. A row that changes hands while a client reads slowly shows its new device.
private struct SightingsStream: ReplyStream {
  let all: Bool
  private var row = 0

  init(all: Bool) { self.all = all }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    while row < agent.dataPath.pipeline.rowCount {
      defer { row += 1 }
      guard let device = agent.dataPath.pipeline.device(at: row), all || device.matchCount > 0,
        let view = agent.dataPath.device(atRow: row)
      else { continue }
      return .reply(Message.element("device", DeviceLine(view)))
    }
    return .end(Message.reply())
  }
}
