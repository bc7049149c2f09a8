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
  static let name = GatewayMethodName.status

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome { .reply(call.agent.status) }
}

/// How many warnings about items `Status` lists, so that the reply stays small.
private let warningsMax = 32

extension AgentCore {
  fileprivate var status: [UInt8] {
    let line = StatusLine(
      version: service.identity.version, epoch: epochText,
      time: Seconds(microseconds: radioTime.microseconds), radio: radioLine,
      problems: problems.map { StatusLine.Problem(kind: $0.kind, sentence: $0.sentence) },
      wifi: wirelessLine,
      warnings: warnings,
      counts: [
        .apps: Int64(configuration.manifest.apps.count), .items: Int64(dataPath.items.count),
        .devices: Int64(dataPath.deviceCount), .devicesMax: Int64(dataPath.pipeline.rowCount),
        .found: Int64(dataPath.foundCount), .reports: Int64(dataPath.pipeline.counters.reports),
        .events: Int64(dataPath.pipeline.events.produced), .connections: Int64(clients.count),
        .connectionsMax: Int64(clients.limits.connections),
        .watchers: Int64(clients.streamCount(WatchStream.self)),
        .accessoriesConnected: Int64(links.connectedCount), .reloads: Int64(counters.reloads),
        .reloadsRefused: Int64(counters.reloadsRefused),
      ])
    return Message.reply { line.writeReply(to: &$0) }
  }

  /// The items that cannot be found; at most ``warningsMax``, and how many are left out.
  private var warnings: [StatusLine.Problem] {
    let missing = dataPath.items.compactMap { entry in
      reasonNothingIsFound(by: entry).map { (path: entry.path, reason: $0) }
    }
    var warnings = missing.prefix(warningsMax).map { item in
      StatusLine.Problem(
        kind: item.reason.kind, sentence: GatewayError.cut("\(item.path): \(item.reason.sentence)"))
    }
    let omitted = missing.count - warnings.count
    if omitted > 0 {
      warnings.append(
        StatusLine.Problem(
          kind: "moreMissing",
          sentence: "\(omitted) more such warnings; accessoryctl check lists those of the manifest"))
    }
    return warnings
  }

  /// Why nothing can be found by an item here; nil for an item that can find something. The sentence lacks its subject.
  func reasonNothingIsFound(by entry: ManifestItem) -> StatusLine.Problem? {
    let descriptor = entry.item.descriptor
    if descriptor.hasOnlyWiFiAware {
      return StatusLine.Problem(kind: "wifiAwareOnly", sentence: WiFiAwareService.reasonNothingIsFound)
    }
    guard descriptor.isFoundByNetwork, configuration.manifest.gateway.wifi == nil else { return nil }
    return StatusLine.Problem(kind: "networksMissing", sentence: Gateway.reasonNoNetworkMatches)
  }

  private var radioLine: RadioLine {
    let isController = radio.link == .controller && radio.state == .on
    let address: UInt64? =
      switch radio.link {
      case .shared where radio.shared.address != 0: radio.shared.address
      case .controller where radio.state == .on: radio.profile.address
      default: nil
      }
    let mean = counters.reception.queueing.mean
    return RadioLine(
      source: GatewayError.cut(configuration.radioSource), state: radio.state,
      detail: radio.detail, scan: radio.isActive.map { $0 ? .active : .passive },
      address: address.flatMap { WireAddress(bits: $0, type: .public).text },
      extendedAdvertising: isController ? radio.initializer.scansExtended : nil,
      codedPHY: isController ? radio.initializer.scansExtended && radio.profile.scansCoded : nil,
      initializationCount: Int64(radio.initializations), failureCount: Int64(radio.recovery.failureCount),
      droppedCount: Int64(counters.reception.drops), queueing: mean.map { Seconds(microseconds: $0) },
      queueingMax: mean.map { _ in Seconds(microseconds: counters.reception.queueing.longest) })
  }
}
