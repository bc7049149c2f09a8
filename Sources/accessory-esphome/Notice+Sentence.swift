// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import ESPHome

extension ESPHomeBridge.Notice {
  var level: BridgeLog.Level {
    switch self {
    case .agentIsThere, .enrolling, .enrolmentEnded: .info
    case .enrolled: .notice
    case .agentIsAway, .notABridge, .agentIsOlder, .accountIsOperator, .refused, .clientFailed: .warning
    }
  }

  var sentence: String {
    switch self {
    case .agentIsThere: "the agent is there"
    case .agentIsAway(let reason): "the gateway is away: \(reason)"
    case .notABridge:
      "waiting: the manifest of accessoryd has no section of this account; accessoryctl setup writes it, or write: "
        + "[bridge.homeassistant] user = \"accessory-esphome\", and reload"
    case .agentIsOlder: "waiting: this agent is older than the bridge; upgrade the package accessory-gateway"
    case .accountIsOperator:
      "waiting: this account is root's or an operator's, who may do everything, and is no bridge; run the program as the "
        + "user of a section [bridge.NAME], such as accessory-esphome, who is not in the group accessory"
    case .refused(let reason): "waiting: the agent refuses the stream of reports: \(reason)"
    case .clientFailed(let error, let address, let count):
      "closed the connection of \(address): \(error.sentence)"
        + (count > 1 ? " (\(count) since the last such line)" : "")
    case .enrolling: "for ten minutes, the first Home Assistant that adds the gateway gives it its key"
    case .enrolled(let address): "took the key of \(address); everything is encrypted with it from now on"
    case .enrolmentEnded: "no key came; the gateway keeps its own"
    }
  }
}

extension ESPHomeError {
  fileprivate var sentence: String {
    switch self {
    case .plaintext: "it speaks without encryption; give it the key that accessory-esphome key prints"
    case .encrypted:
      "it has a key, and the gateway speaks without encryption now, because of --plaintext or enrol"
    case .tooLong: "it sent a frame that is too long"
    case .malformedMessage: "it sent something that is not a message"
    case .wrongKey: "it has another key; accessory-esphome key prints the right one"
    case .notGenuine: "a message was altered on the way"
    case .silent: "it was silent for too long"
    case .unread: "it does not read"
    case .tooMany: "there are too many connections"
    }
  }
}
