// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import Discovery
import HCI
import Interfaces
import JSON
import Manifest
import Setup
import Explanation
import Varlink

/// `Status`: how the agent is, for an operator.
enum StatusMethod: GatewayMethod {
  static let member = "Status"

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome { .reply(call.agent.status) }
}

extension AgentCore {
  fileprivate var status: [UInt8] {
    Message.reply { json in
      json.member("version", service.identity.version)
      json.member("epoch", epochText)
      json.member("time", Seconds(microseconds: radioTime.microseconds))
      json.object("radio") { writeRadio(to: &$0) }
      json.objects("problems", problems) { json, problem in
        json.member("kind", problem.kind)
        json.member("sentence", problem.sentence)
      }
      json.member("apps", configuration.manifest.apps.count)
      json.member("items", dataPath.items.count)
      json.member("devices", dataPath.deviceCount)
      json.member("devicesMax", dataPath.pipeline.rowCount)
      json.member("found", dataPath.foundCount)
      json.member("reports", dataPath.pipeline.counters.reports)
      json.member("events", dataPath.pipeline.events.produced)
      json.member("connections", clients.count)
      json.member("connectionsMax", clients.limits.connections)
      json.member("watchers", clients.streamCount(WatchStream.self))
      json.member("reloads", counters.reloads)
      json.member("reloadsRefused", counters.reloadsRefused)
    }
  }

  private func writeRadio(to json: inout JSONWriter) {
    json.member("source", GatewayError.cut(configuration.radioSource))
    json.member("state", radio.state.rawValue)
    json.member("detail", radio.detail)
    if let isActive = radio.isActive { json.member("scan", isActive ? "active" : "passive") }
    if radio.link == .shared, radio.shared.address != 0 {
      json.member("address", DeviceAddress(bits: radio.shared.address, type: .public).text)
    }
    if radio.link == .controller, radio.state == .on {
      json.member("address", DeviceAddress(bits: radio.profile.address, type: .public).text)
      json.member("hasExtendedAdvertising", radio.initializer.scansExtended)
      json.member("hasCodedPHY", radio.initializer.scansExtended && radio.profile.scansCoded)
    }
    json.member("bringups", radio.initializations)
    json.member("failures", radio.recovery.failureCount)
    json.member("dropped", counters.reception.drops)
    if let mean = counters.reception.queueing.mean {
      json.member("queueing", Seconds(microseconds: mean))
      json.member("queueingMax", Seconds(microseconds: counters.reception.queueing.longest))
    }
  }
}
