// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest
import Setup
public import Wireless

// Connects the plan of network scans to the shell, the table of networks, and what operators see.

/// The networks in reach, what items have found among them, and when they are looked for.
struct NetworkLink {
  var table = NetworkTable()
  var plan = NetworkScanPlan()
  var sightings: NetworkSightings
  /// Why networks cannot be read, as requests know it: the interface (nil for none), and its error.
  var knownProblem: (interface: String?, error: WirelessError?)?

  init(_ items: [ManifestItem]) { sightings = NetworkSightings(items) }
}

extension AgentCore {
  // MARK: - What the shell reports

  /// Receives the result of the reading that ``Action/networks(_:)`` asks for.
  public func networksWereRead(
    _ result: Result<NetworkReading, WirelessError>, of number: UInt64, at time: Instant
  ) {
    turn.advance(to: time)
    let before = (error: networkLink.plan.error, source: networkLink.plan.source)
    let (list, scan, action) = networkLink.plan.receive(result, of: number, at: now)
    if let list { for network in list.networks { networkLink.table.insert(network) } }
    if let scan { networkLink.table.append(scan) }
    noteNetworkScans(before)
    if let action { enqueue(.networks(action)) }
  }

  /// Receives the result of the start of a scan that ``Action/networks(_:)`` asks for.
  public func networkScanWasStarted(
    _ result: Result<ScanStart, WirelessError>, of number: UInt64, at time: Instant
  ) {
    turn.advance(to: time)
    let before = (error: networkLink.plan.error, source: networkLink.plan.source)
    networkLink.plan.receive(result, of: number, at: now)
    noteNetworkScans(before)
  }

  // MARK: - Time

  /// Tells requests why no networks are looked for, and what to do.
  func followNetworkProblem() {
    let (interface, error) = (configuration.manifest.gateway.wifi, networkLink.plan.readingError)
    if let known = networkLink.knownProblem, known == (interface, error) { return }
    networkLink.knownProblem = (interface, error)
    guard let interface else {
      return setupCore.setNetworks(reasonDown: Gateway.reasonNoNetworkIsRead)
    }
    setupCore.setNetworks(reasonDown: error?.sentence(interface: interface))
  }

  /// Follows what networks are needed for, and lets time pass.
  func advanceNetworkScans() {
    // Every turn comes here, and most gateways have no interface for networks.
    guard configuration.manifest.gateway.wifi != nil || networkLink.plan.state != .off else { return }
    var before = (error: networkLink.plan.error, source: networkLink.plan.source)
    if networkLink.plan.follow(networkDemand, on: configuration.manifest.gateway.wifi, at: now) {
      networkLink.table.removeAll()
      // The errors of another interface are not over.
      before = (nil, nil)
    }
    if let action = networkLink.plan.advance(to: now) { enqueue(.networks(action)) }
    noteNetworkScans(before)
  }

  /// Logs what has changed.
  private func noteNetworkScans(_ before: (error: WirelessError?, source: NetworkSource?)) {
    guard let interface = configuration.manifest.gateway.wifi else { return }
    let (error, source) = (networkLink.plan.error, networkLink.plan.source)
    if error != before.error, error != nil || networkLink.plan.state != .off {
      enqueue(.log(.networks(.error(error, interface: interface))))
    }
    if let source, source != before.source {
      enqueue(.log(.networks(.source(source, interface: interface))))
    }
  }

  // MARK: - For operators

  /// How networks are looked for; nil when the manifest names no interface.
  var wirelessLine: WirelessLine? {
    guard let interface = configuration.manifest.gateway.wifi else { return nil }
    let state: WirelessLine.State =
      if networkLink.plan.readingError != nil {
        .failed
      } else if networkLink.plan.scan != nil {
        .scanning
      } else {
        networkLink.plan.state == .off ? .off : .on
      }
    return WirelessLine(
      interface: interface, state: state, source: networkLink.plan.source,
      networks: networkLink.table.count,
      sinceLastScan: networkLink.table.scans.last.map {
        Seconds(microseconds: max(0, now.microseconds &- $0.completedAt.microseconds))
      }, problem: networkLink.plan.error?.sentence(interface: interface))
  }

  /// What is wrong with the reading of networks, or with the scans for them.
  var networkProblem: Problem? {
    guard let line = wirelessLine, let sentence = line.problem else { return nil }
    return Problem(kind: "networksUnavailable", sentence: sentence)
  }

  /// Networks and their scans.
  var networkScanMetrics: [Metric] {
    let counted = networkLink.plan.counters
    func bySource(_ counts: [NetworkSource: UInt64]) -> [(String, UInt64)] {
      NetworkSource.allCases.map { ($0.rawValue, counts[$0] ?? 0) }
    }
    return [
      Metric("networks", .gauge, "Networks in reach whose names are known.", networkLink.table.count),
      Metric(
        "network_readings_total", .counter, "Lists of networks read, by source.", "source",
        bySource(counted.readings)),
      Metric(
        "network_scans_started_total", .counter, "Scans for networks that the agent started, by source.",
        "source",
        bySource(counted.started)),
      Metric(
        "network_scans_busy_total", .counter, "Scans not started because another program scanned, by source.",
        "source", bySource(counted.busy)),
      Metric(
        "network_scans_ended_total", .counter,
        "Scans for networks that have ended, whichever program started them.",
        "end", [("completed", counted.completed), ("aborted", counted.aborted)]),
      Metric(
        "network_errors_total", .counter, "Failed readings and starts of scans, by reason.", "reason",
        WirelessError.words.map { ($0, counted.errors[$0] ?? 0) }),
      Metric(
        "networks_dropped_total", .counter, "Networks of a list that were not kept, by reason.", "reason",
        [
          ("hidden", networkLink.table.counters.hidden), ("longName", counted.namesRefused),
          ("malformed", counted.malformed),
          ("evicted", networkLink.table.counters.evicted), ("full", networkLink.table.counters.turnedAway),
        ]),
    ]
  }
}

/// An event for the log, about the search for networks.
public enum NetworkNotice: Equatable, Sendable {
  /// Networks cannot be read or scanned for, or there is no such problem any more (nil).
  case error(WirelessError?, interface: String)
  case source(NetworkSource, interface: String)
}
