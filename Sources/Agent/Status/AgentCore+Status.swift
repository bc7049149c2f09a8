// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import Discovery
import HCI
import Interfaces
import Manifest
import Registry
import Setup
import Varlink

/// How many warnings about items `Status` lists, so that the reply stays small.
private let warningsMax = 32

/// How many open requests `Status` lists, and how many subjects of each.
private let requestsMax = 16
private let subjectsMax = 8

/// How many items `Status` lists that miss what their devices send.
private let missingMax = 16

extension AgentCore {
  /// `Status`: how the agent is, for an operator; for a bridge, how its apps are. `bridge` is the caller if it may not see
  /// everything.
  func status(for rights: Rights) -> [UInt8] {
    let (version, time) = (service.identity.version, Seconds(microseconds: radioTime.microseconds))
    let digest = configuration.manifestDigest
    let section = rights.bridge.map { bridge in
      BridgeLine(
        name: bridge.name, forward: bridge.forward,
        apps: configuration.manifest.apps.map(\.name).filter(bridge.apps.includes).sorted(),
        may: BridgePermission.allCases.filter(bridge.may.contains))
    }
    if let bridge = rights.filteringBridge {
      let line = StatusLine(
        version: version, manifestDigest: digest, epoch: epochText, time: time, radio: radioLine,
        problems: problems(of: bridge.apps), warnings: [], openRequests: [], bridge: section)
      return Message.reply { line.writeMembers(to: &$0) }
    }
    let line = StatusLine(
      version: version, manifestDigest: digest, epoch: epochText, time: time, radio: radioLine,
      wifi: wirelessLine, listening: listeningLine, problems: problems, warnings: warnings,
      openRequests: setupCore.requests.prefix(requestsMax).map(OpenRequestLine.init),
      apps: configuration.manifest.apps.count,
      items: configuration.manifest.apps.reduce(0) { $0 + $1.items.count },
      devices: dataPath.deviceCount, devicesMax: dataPath.pipeline.rowCount,
      found: dataPath.foundCount, reports: Int(dataPath.pipeline.counters.reports),
      events: Int(dataPath.pipeline.events.produced), connections: clients.count,
      connectionsMax: Int(clients.limits.connections), watchers: clients.streamCount(WatchStream.self),
      accessoriesConnected: links.connectedCount, requests: setupCore.requests.count,
      reloads: Int(counters.reloads), reloadsRefused: Int(counters.reloadsRefused), bridge: section)
    return Message.reply { line.writeMembers(to: &$0) }
  }

  /// The items that cannot be found; at most ``warningsMax``, and how many are left out.
  private var warnings: [Problem] {
    let missing = dataPath.items.compactMap { entry in
      reasonNothingIsFound(by: entry).map { (path: entry.path, reason: $0) }
    }
    var warnings = missing.prefix(warningsMax).map { item in
      Problem(
        kind: item.reason.kind, sentence: GatewayError.cut("\(item.path): \(item.reason.sentence)"))
    }
    let omitted = missing.count - warnings.count
    if omitted > 0 {
      warnings.append(
        Problem(
          kind: "moreMissing",
          sentence: "\(omitted) more such warnings; accessoryctl check lists those of the manifest"))
    }
    return warnings
  }

  /// A recording does not say how it was scanned.
  private var listeningLine: ListeningLine? {
    if case .btsnoop = configuration.manifest.gateway.radio { return nil }
    let board = configuration.board
    let missing = dataPath.items.lazy.filter { board.costOfEvents(of: $0.item) != nil }
    return ListeningLine(
      board: board.name, replacedBoard: configuration.replacedBoard,
      percent: Int(board.low.percent), requestPercent: Int(max(board.low.percent, board.balanced.percent)),
      missing: missing.prefix(missingMax).map(\.path))
  }

  /// Why nothing can be found by an item here; nil for an item that can find something. The sentence lacks its subject.
  func reasonNothingIsFound(by entry: ManifestItem) -> Problem? {
    let descriptor = entry.item.descriptor
    if descriptor.hasOnlyWiFiAware {
      return Problem(kind: "wifiAwareOnly", sentence: WiFiAwareService.reasonNothingIsFound)
    }
    guard descriptor.isFoundByNetwork, configuration.manifest.gateway.wifi == nil else { return nil }
    return Problem(kind: "networksMissing", sentence: Gateway.reasonNoNetworkMatches)
  }

  /// The controller's address as text; nil until it is known.
  var radioAddress: String? {
    let address: UInt64? =
      switch radio.link {
      case .shared where radio.shared.address != 0: radio.shared.address
      case .controller where radio.state == .on: radio.profile.address
      default: nil
      }
    return address.flatMap { DeviceAddress(bits: $0, type: .public).text }
  }

  private var radioLine: RadioLine {
    let isController = radio.link == .controller && radio.state == .on
    let mean = counters.reception.queueing.mean
    return RadioLine(
      source: GatewayError.cut(configuration.radioSource), state: radio.state,
      detail: radio.detail, scan: radio.isActive.map { $0 ? .active : .passive },
      address: radioAddress,
      hasExtendedAdvertising: isController ? radio.initializer.scansExtended : nil,
      hasCodedPHY: isController ? radio.initializer.scansExtended && radio.profile.scansCoded : nil,
      initializations: Int(radio.initializations), failures: Int(radio.recovery.failureCount),
      dropped: Int(counters.reception.drops), queueing: mean.map { Seconds(microseconds: $0) },
      queueingMax: mean.map { _ in Seconds(microseconds: counters.reception.queueing.longest) },
      filter: filterText)
  }
}

extension OpenRequestLine {
  fileprivate init(_ request: SetupFlow) {
    self.init(
      request: request.id.text, kind: request.kind, app: request.app,
      since: Seconds(microseconds: request.openedAt.microseconds),
      about: Array(request.subjects.prefix(subjectsMax)),
      candidates: request.isLooking ? request.picker?.candidates.shown.count ?? 0 : 0,
      sentence: request.requestSentence)
  }
}

/// What the agent's process uses of the machine, for `Metrics`. The shell measures it when a client asks.
public struct ProcessFigures: Equatable, Sendable {
  /// User and system time.
  public var processorMicroseconds: Int64
  public var residentBytes: Int64
  public var virtualBytes: Int64
  public var openDescriptors: Int64
  public var openDescriptorsMax: Int64
  /// Since 1970.
  public var startMicroseconds: Int64

  public init(
    processorMicroseconds: Int64, residentBytes: Int64, virtualBytes: Int64, openDescriptors: Int64,
    openDescriptorsMax: Int64, startMicroseconds: Int64
  ) {
    self.processorMicroseconds = processorMicroseconds
    self.residentBytes = residentBytes
    self.virtualBytes = virtualBytes
    self.openDescriptors = openDescriptors
    self.openDescriptorsMax = openDescriptorsMax
    self.startMicroseconds = startMicroseconds
  }
}

extension ProcessFigures {
  /// The families that Prometheus' own client libraries give every program.
  var metrics: [Metric] {
    [
      Metric(
        process: "cpu_seconds_total", .counter, "Total user and system CPU time spent in seconds.",
        .seconds(microseconds: processorMicroseconds)),
      Metric(
        process: "resident_memory_bytes", .gauge, "Resident memory size in bytes.", .single(residentBytes)),
      Metric(process: "virtual_memory_bytes", .gauge, "Virtual memory size in bytes.", .single(virtualBytes)),
      Metric(process: "open_fds", .gauge, "Number of open file descriptors.", .single(openDescriptors)),
      Metric(
        process: "max_fds", .gauge, "Maximum number of open file descriptors.", .single(openDescriptorsMax)),
      Metric(
        process: "start_time_seconds", .gauge,
        "Start time of the process since the Unix epoch in seconds, by the machine's clock.",
        .seconds(microseconds: startMicroseconds)),
    ]
  }
}
