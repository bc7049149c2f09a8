// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import BrokerFeed
import MQTTBridge

extension MQTTBridge.Notice {
  var level: BridgeLog.Level {
    switch self {
    case .gateway(let notice): notice.isProblem ? .warning : .info
    case .brokerIsThere, .reconfigured, .emptied: .info
    case .brokerIsAway, .cursorUnreadable: .warning
    case .cursorNotStored: .error
    }
  }

  var sentence: String {
    switch self {
    case .gateway(let notice): notice.sentence(account: "accessory-mqtt", bridge: "mqtt", channel: "topic")
    case .brokerIsThere: "connected to the broker"
    case .brokerIsAway(let reason): "the broker is away: \(reason)"
    case .cursorNotStored(let reason):
      "the position in the events cannot be stored: \(reason); make space for the state folder, or correct its files. Nothing is lost, but "
        + "after a restart events are published twice"
    case .cursorUnreadable:
      "the stored position in the events cannot be read, so that events may be missing; the topic reset says so"
    case .reconfigured: "the configuration was read again"
    case .emptied(let count):
      "removed what the broker had of \(count) \(count == 1 ? "accessory that is" : "accessories that are") gone"
    }
  }
}
