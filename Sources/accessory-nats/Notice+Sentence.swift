// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import BrokerFeed
import NATSBridge

extension NATSBridge.Notice {
  var level: BridgeLog.Level {
    switch self {
    case .gateway(let notice): notice.isProblem ? .warning : .info
    case .serverIsThere, .streamCreated, .reconfigured: .info
    case .serverIsAway, .serverComplains, .noJetStream, .noStream, .subjectNotStored, .storedElsewhere,
      .refused,
      .shortDuplicateWindow:
      .warning
    }
  }

  var sentence: String {
    switch self {
    case .gateway(let notice): notice.sentence(account: "accessory-nats", bridge: "nats", channel: "subject")
    case .serverIsThere: "connected to the server"
    case .serverIsAway(let reason): "the server is away: \(reason)"
    case .serverComplains(let words): "the server does not allow something: \(words)"
    case .noJetStream:
      "waiting: JetStream is not enabled for this account, or its domain is another; enable it at the server, or "
        + "correct domain in nats.toml"
    case .noStream(let name, let subjects):
      "waiting: there is no stream \(name); make it: nats stream add \(name) --subjects '\(subjects)' --storage file "
        + "--dupe-window 1h --defaults; or write create = true below [stream] in nats.toml"
    case .streamCreated(let name): "making the stream \(name), because create is true"
    case .subjectNotStored(let stream, let subject):
      "waiting: nothing stores \(subject); the stream \(stream) has no such subject, or no leader at present"
    case .storedElsewhere(let stream, let subject):
      "waiting: \(subject) is stored by the stream \(stream); write its name below [stream] in nats.toml, or take the subject "
        + "from it"
    case .refused(let reason): "waiting: the stream refuses events: \(reason)"
    case .shortDuplicateWindow(let stream, let seconds):
      "the stream \(stream) refuses doubles for \(seconds) s only, so that a longer absence may leave doubles; change "
        + "it: nats stream edit \(stream) --dupe-window 1h"
    case .reconfigured: "the configuration was read again"
    }
  }
}
