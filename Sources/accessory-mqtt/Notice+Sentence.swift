// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BridgeRuntime
import MQTTBridge

extension MQTTBridge.Notice {
  var level: BridgeLog.Level {
    switch self {
    case .agentIsThere, .brokerIsThere, .reconfigured, .emptied: .info
    case .agentIsAway, .notABridge, .agentIsOlder, .refused, .brokerIsAway, .reset, .missed,
      .cursorUnreadable:
      .warning
    case .cursorNotStored: .error
    }
  }

  var sentence: String {
    switch self {
    case .agentIsThere: "the agent is there"
    case .agentIsAway(let reason): "the gateway is away: \(reason)"
    case .notABridge:
      "waiting: the manifest of accessoryd has no section of this account; write: [bridge.mqtt] user = "
        + "\"accessory-mqtt\", and reload"
    case .agentIsOlder: "waiting: this agent is older than the bridge; upgrade the package accessory-gateway"
    case .refused(let reason): "waiting: the agent refuses the stream of events: \(reason)"
    case .brokerIsThere: "connected to the broker"
    case .brokerIsAway(let reason): "the broker is away: \(reason)"
    case .reset(let last):
      "the agent has begun a new run; what it had not delivered of the one before is lost, and the topic reset says so"
        + (last.map { " (run \($0.epoch), from event \($0.sequence) on)" } ?? "")
    case .missed(let count):
      "\(count) events were overwritten before they could be read; the topic missed says so"
    case .cursorNotStored(let reason):
      "the position in the events cannot be stored: \(reason); make space for the state folder. Nothing is lost, but "
        + "after a restart events are published twice"
    case .cursorUnreadable:
      "the stored position in the events cannot be read, so that events may be missing; the topic reset says so"
    case .reconfigured: "the configuration was read again"
    case .emptied(let count):
      "removed what the broker had of \(count) \(count == 1 ? "accessory that is" : "accessories that are") gone"
    }
  }
}
