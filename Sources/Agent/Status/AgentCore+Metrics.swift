// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import Discovery
import HCI
import Interfaces
import Manifest
import Registry
import Setup
import DeviceLines
import Varlink

// The table of metrics. To add one, add a line.

extension AgentCore {
  /// Bytes of the text in one reply. JSON escapes quotes and line feeds, and the envelope needs some too.
  private static let metricsBytesMax = 24 << 10

  /// `Metrics`: every counter and gauge, for programs that watch over machines.
  var metricsText: String {
    var text = MetricsText()
    for metric in metrics + (measureProcess()?.metrics ?? []) { text.write(metric) }
    writeItems(to: &text)
    return text.text
  }

  /// Items that do not fit into the text are counted and left out.
  private func writeItems(to text: inout MetricsText) {
    let (counts, networks) = (dataPath.itemCounts, networkSightings.foundCounts)
    var lines = MetricsText()
    lines.family(
      "accessoryd_item_devices", .gauge, "Devices and networks that match an item, and that it has found.")
    var omitted = 0
    for (index, item) in dataPath.items.enumerated() {
      let labels =
        "app=\"\(MetricsText.escaped(item.app))\",item=\"\(MetricsText.escaped(item.item.id))\""
      let found = networks[index] ?? 0
      let line =
        "accessoryd_item_devices{\(labels),presence=\"matching\"} \(counts[index].matching + found)\n"
        + "accessoryd_item_devices{\(labels),presence=\"found\"} \(counts[index].found + found)\n"
      guard text.text.utf8.count + lines.text.utf8.count + line.utf8.count < Self.metricsBytesMax else {
        omitted += 1
        continue
      }
      lines.line(line)
    }
    text.line(lines.text)
    text.write(Metric("items_omitted", .gauge, "Items that this text has no room for.", omitted))
  }

  /// Every counter and gauge, in the order of the text.
  var metrics: [Metric] {
    dataPathMetrics + lossMetrics + tableMetrics + radioMetrics + clientMetrics + loopMetrics + reloadMetrics
      + setupMetrics + linkMetrics + pairingMetrics + networkMetrics + networkScanMetrics
  }

  /// The connections of apps to their accessories.
  private var linkMetrics: [Metric] {
    let counted = links.counters
    return [
      Metric(
        "accessories_connected", .gauge, "Accessories that an app is connected to.", links.connectedCount),
      Metric(
        "accessory_connections_total", .counter, "Connections of apps to their accessories.", counted.made),
      Metric(
        "accessory_connections_failed_total", .counter, "Connections that were not made, by reason.",
        "reason",
        LinkErrorKind.allCases.map { ($0.rawValue, counted.failures[$0] ?? 0) }),
      Metric(
        "accessory_connections_ended_total", .counter, "Connections that have ended, by what ended them.",
        "end", LinkEnd.allCases.map { ($0.rawValue, counted.ends[$0] ?? 0) }),
    ]
  }

  /// The networks that items find.
  private var networkMetrics: [Metric] {
    let counted = networkSightings.counters
    return [
      Metric(
        "networks_found", .gauge, "Networks that an item has found.", networkSightings.names.count),
      Metric(
        "network_events_total", .counter, "Networks that items have found and lost.", "event",
        [("found", counted.found), ("lost", counted.lost)]),
      Metric(
        "network_matches_omitted_total", .counter, "Items that matched a network beyond the number kept.",
        counted.matchesOmitted),
    ]
  }

  /// Packets, reports, and the events they caused.
  private var dataPathMetrics: [Metric] {
    let received = dataPath.pipeline.counters
    return [
      Metric(
        "build_info", .gauge, "1, with the version of the agent.", "version", [(service.identity.version, 1)]),
      Metric(
        "packets_total", .counter, "Packets from the radio that the kernel's filter passed.", received.packets
      ),
      Metric(
        "reports_total", .counter, "Advertising reports that the kernel's filter passed.", received.reports),
      Metric(
        "reports_unchanged_total", .counter, "Reports that repeated a known payload.",
        received.reportsUnchanged),
      Metric(
        "events_total", .counter, "Sighting events by kind.", "event",
        [("found", received.found), ("changed", received.changed), ("lost", received.lost)]),
      Metric(
        "changes_skipped_total", .counter, "New frames that no changed event carried.",
        received.changesSkipped),
      Metric(
        "changes_held_back_total", .counter,
        "Frames that came back and were not sent then, because frames of their kind alternated.",
        received.changesHeldBack),
      Metric(
        "reports_by_chance_total", .counter,
        "Reports that nothing looks for, of which the filter passed the first bytes by chance: one of 64.",
        received.reportsByChance),
      Metric(
        "devices_added_total", .counter, "Rows made for new addresses of reports that passed.",
        received.devicesAdded),
      Metric(
        "addresses_followed_total", .counter,
        "Private addresses that an identity key resolved to a known row.", received.addressesFollowed),
      Metric(
        "receive_drops_total", .counter, "Packets that the kernel dropped before they were read.",
        counters.reception.drops),
      Metric(
        "receive_room_bytes", .gauge,
        "Bytes of an adapter's packets that the kernel keeps until they are read.",
        counters.reception.receiveBufferBytes),
      Metric(
        "queueing_samples_total", .counter, "Packets whose time in the kernel was measured.",
        counters.reception.queueing.count),
      Metric(
        "queueing_seconds_total", .counter, "How long these packets waited in the kernel, in total.",
        seconds: Int64(clamping: counters.reception.queueing.sum)),
      Metric(
        "queueing_seconds_max", .gauge, "How long the slowest of these packets waited.",
        seconds: Int64(clamping: counters.reception.queueing.longest)),
      Metric(
        "management_messages_truncated_total", .counter,
        "Messages of the management interface that were too short.", counters.reception.mgmtMessagesTruncated),
      Metric(
        "management_messages_invalid_total", .counter,
        "Messages of the management interface with values that it does not have.",
        counters.reception.mgmtMessagesInvalid),
    ]
  }

  /// Reports and packets that were malformed, incomplete, or found no room.
  private var lossMetrics: [Metric] {
    let received = dataPath.pipeline.counters
    let assembler = dataPath.pipeline.assemblerCounters
    return [
      Metric(
        "malformed_total", .counter, "Input that violates the specification, by kind.", "kind",
        [
          ("packet", received.packetsMalformed), ("eventCut", received.eventsTruncated),
          ("eventTrailing", received.eventsWithTrailingBytes),
          ("reportCut", received.reportsLostToTruncation),
          ("reportReserved", received.reportsReserved), ("report", received.reportsMalformed),
          ("lengthPastEnd", received.reportsLengthPastEnd), ("dataAfterEnd", received.reportsDataAfterEnd),
          ("wrongSize", received.reportsWrongSize),
        ]),
      Metric(
        "reports_limited_total", .counter, "Reports that lack something, by what they lack.", "kind",
        [
          ("address", received.reportsAnonymous), ("reading", received.reportsWithoutReading),
          ("truncated", received.reportsTruncated),
        ]),
      Metric(
        "chains_total", .counter, "Chains of extended advertising, by outcome.", "outcome",
        [
          ("assembled", assembler.assembled), ("displaced", assembler.displaced),
          ("expired", assembler.expired), ("oversized", assembler.oversized),
        ]),
      Metric(
        "turned_away_total", .counter, "Entries that found no room, by table.", "table",
        [
          ("devices", received.devicesTurnedAway), ("sets", received.setsTurnedAway),
          ("longPayloads", received.longPayloadsTurnedAway),
          ("matchesOfDevice", received.matchesBeyondCapacity), ("matchesOfItem", received.matchesTurnedAway),
        ]),
      Metric(
        "evicted_total", .counter, "Entries replaced by newer ones, by kind.", "kind",
        [
          ("unknownDevices", received.unknownDevicesEvicted),
          ("matchingDevices", received.matchingDevicesEvicted),
          ("sets", received.setsReplaced), ("longPayloads", received.longPayloadsEvicted),
          ("matchesOfItem", received.matchesEvicted),
        ]),
      Metric(
        "times_clamped_total", .counter, "Inputs whose time lay before that of the previous input.",
        received.timesClamped
      ),
    ]
  }

  /// How full the tables are.
  private var tableMetrics: [Metric] {
    return [
      Metric("devices", .gauge, "Devices in the table.", dataPath.deviceCount),
      Metric("devices_max", .gauge, "Capacity of the device table.", dataPath.pipeline.rowCount),
      Metric("devices_found", .gauge, "Devices that an item has found.", dataPath.foundCount),
      Metric("tables_bytes", .gauge, "Bytes set aside for the data path's tables.", dataPath.byteCount),
      Metric(
        "uptime_seconds", .gauge, "Seconds since the agent started, by the radio's clock.",
        seconds: radioTime.microseconds),
    ]
  }

  /// The radio: its state, initialisations and recoveries.
  private var radioMetrics: [Metric] {
    return [
      Metric(
        "radio_state", .gauge, "1 for the state that the radio is in.", "state",
        RadioLine.State.allCases.map { ($0.rawValue, $0 == radio.state ? 1 : 0) }),
      Metric(
        "radio_initializations_total", .counter, "Initialisations of the controller.", radio.initializations),
      Metric(
        "radio_failures_total", .counter, "Initialisations and scans that failed.",
        radio.recovery.failureCount),
      Metric("radio_probes_total", .counter, "Probes of a silent radio.", radio.probe.count),
      Metric(
        "radio_recoveries_total", .counter, "Recovery actions tried, by action.",
        "action", RecoveryAction.allCases.map { ($0.rawValue, radio.recovery.watchdog.tries[$0] ?? 0) }),
      Metric(
        "radio_recoveries_failed_total", .counter, "Escalations after which no recovery action had helped.",
        radio.recovery.watchdog.escalationsFailed),
    ]
  }

  /// Connections, calls and streams.
  private var clientMetrics: [Metric] {
    let connections = clients.connectionCounters
    return [
      Metric("connections", .gauge, "Clients.", clients.count),
      Metric("connections_admitted_total", .counter, "Clients admitted.", clients.admitted),
      Metric(
        "connections_refused_total", .counter, "Connections turned away, by reason.", "reason",
        AdmissionError.allCases.map { ($0.rawValue, clients.refused[$0] ?? 0) }),
      Metric(
        "connections_broken_total", .counter, "Connections closed by the agent, by reason.", "reason",
        [
          ("frame", counters.clients.closedForFrame), ("json", counters.clients.closedForJSON),
          ("overdue", counters.clients.closedOverdue),
        ]),
      Metric("calls_total", .counter, "Calls received.", counters.clients.calls &+ connections.calls),
      Metric(
        "calls_refused_total", .counter, "Calls answered with an error.",
        counters.clients.callsRefused &+ connections.refusals),
      Metric(
        "calls_deferred_total", .counter, "Turns in which a client sent more calls than one turn takes.",
        counters.clients.yields &+ connections.yields),
      Metric(
        "permissions_denied_total", .counter, "Calls of operators' methods by other callers.",
        counters.clients.permissionsDenied),
      Metric(
        "busy_total", .counter, "Calls refused because too many of the same kind were in progress.",
        counters.clients.busy),
      Metric(
        "events_delivered_total", .counter, "Events sent to watchers.", feeds.counters.eventsDelivered),
      Metric(
        "events_missed_total", .counter, "Events overwritten before a watcher read them.",
        feeds.counters.eventsMissed),
      Metric(
        "reports_sent_total", .counter, "Reports sent to streams, by who reads them.", "reader",
        ReportReader.allCases.map { ($0.rawValue, reports.counts($0, dataPath.pipeline.reports).sent) }),
      Metric(
        "reports_missed_total", .counter, "Reports that streams wanted and their readers were too slow for.",
        "reader",
        ReportReader.allCases.map { ($0.rawValue, reports.counts($0, dataPath.pipeline.reports).missed) }),
      Metric(
        "report_batches_total", .counter, "Messages sent to streams of reports.",
        feeds.counters.reportBatches),
      Metric(
        "report_readers_cut_off_total", .counter, "Streams of reports whose readers took nothing for 30 s.",
        reports.cutOff),
      Metric(
        "packets_captured_total", .counter, "Packets sent to captures.", feeds.counters.packetsCaptured),
      Metric(
        "packets_missed_total", .counter, "Packets overwritten before a capture read them.",
        feeds.counters.packetsMissed
      ),
    ]
  }

  /// The loop around the agent.
  private var loopMetrics: [Metric] {
    return [
      Metric("turns_total", .counter, "Turns of the loop.", turnCount),
      Metric(
        "longest_turn_seconds", .gauge, "The longest turn of the loop since the start.",
        seconds: counters.loop.longestTurnMicroseconds),
      programRuns("touch_signals_total", of: .touch), programRuns("request_signals_total", of: .request),
      Metric("radio_reads_total", .counter, "Turns that read the radio.", counters.loop.drains),
      Metric(
        "system_calls_total", .counter, "System calls, by purpose.", "purpose",
        [("clients", counters.loop.clientCalls), ("watching", counters.loop.watchCalls)]),
      Metric(
        "descriptor_exhaustions_total", .counter, "How often no file descriptor was free for a client.",
        counters.loop.exhaustions),
      Metric(
        "stale_events_total", .counter, "Events of file descriptors that had been closed meanwhile.",
        counters.loop.staleEvents),
      Metric(
        "log_lines_dropped_total", .counter, "Log lines dropped because they were not read in time.",
        counters.loop.logLinesDropped),
    ]
  }

  private func programRuns(_ name: String, of kind: SignalProgramKind) -> Metric {
    let runs = counters.loop.programs[kind] ?? SignalProgramCounters()
    return Metric(
      name, .counter, "Runs of the program \(kind.rawValue), by result.", "result",
      [
        ("done", runs.done), ("failed", runs.failed), ("overdue", runs.overdue), ("notRun", runs.notRun),
        ("dropped", runs.dropped),
      ])
  }

  /// Readings of the manifest.
  private var reloadMetrics: [Metric] {
    return [
      Metric("reloads_total", .counter, "Manifests that took effect after the first.", counters.reloads),
      Metric("reloads_refused_total", .counter, "Manifests that were refused.", counters.reloadsRefused),
    ]
  }

  /// Sessions, requests and the registry.
  private var setupMetrics: [Metric] {
    let setup = setupCore.counters
    return [
      Metric("sessions", .gauge, "Open sessions.", setupCore.sessionCount),
      Metric("sessions_opened_total", .counter, "Sessions opened.", setup.sessionsOpened),
      Metric(
        "sessions_expired_total", .counter, "Sessions that ended because no client streamed them.",
        setup.sessionsExpired),
      Metric("requests", .gauge, "Requests that wait for an operator.", setupCore.requests.count),
      Metric(
        "requests_oldest_seconds", .gauge, "How long the request that waits longest has been open.",
        seconds: setupCore.requests.map(\.openedAt.microseconds).min().map { now.microseconds - $0 } ?? 0),
      Metric("requests_opened_total", .counter, "Requests opened.", setup.requestsOpened),
      Metric("accessories", .gauge, "Accessories in the registry.", setupCore.registry.accessories.count),
      Metric("accessories_added_total", .counter, "Accessories set up.", setup.added),
      Metric("accessories_removed_total", .counter, "Accessories removed.", setup.removed),
      Metric("setups_failed_total", .counter, "Setups that failed.", setup.setupsFailed),
      Metric(
        "touches_refused_total", .counter, "Touches refused because several devices were possible.",
        setup.touchesRefused),
      Metric(
        "automatic_failed_total", .counter, "Automatic setups that failed.", setup.automaticFailed
      ),
      Metric(
        "automatic_forgotten_total", .counter, "Failed automatic setups forgotten to make room for another.",
        setup.automaticForgotten),
      Metric(
        "foreign_refused_total", .counter, "Identifiers and tokens that were not the caller's.",
        setup.unknownIdentifiersRefused),
      Metric(
        "disclosed_total", .counter, "Devices disclosed to apps before an operator chose them.",
        setup.disclosed),
      Metric("resolved_total", .counter, "Addresses of accessories given to their apps.", setup.resolved),
      Metric(
        "registry_failures_total", .counter, "Changes that the disk did not take.", setup.commitsFailed),
      Metric(
        "accessories_unmarked_total", .counter,
        "Addresses of accessories without a place among those that the device table keeps.",
        counters.accessoriesUnmarked),
      Metric(
        "app_events_total", .counter, "Events and advertisements for apps, by outcome.",
        "outcome",
        [
          ("delivered", feeds.counters.appEventsDelivered),
          ("missed", feeds.counters.appEventsMissed &+ reports.readings.missed),
        ]),
    ]
  }
}

extension ManifestDataPath {
  /// How many devices match each item, and how many it has found.
  fileprivate var itemCounts: [(matching: Int, found: Int)] {
    var counts = Array(repeating: (matching: 0, found: 0), count: items.count)
    path.pipeline.forEachMatch { _, _, _, match in
      counts[Int(match.item)].matching += 1
      if match.isFound { counts[Int(match.item)].found += 1 }
    }
    return counts
  }
}

extension ClientTable {
  /// What the connections that are open have counted.
  fileprivate var connectionCounters: (calls: UInt64, refusals: UInt64, yields: UInt64) {
    connected.reduce(into: (0, 0, 0)) { sum, client in
      sum.0 &+= client.connection.callCount
      sum.1 &+= client.connection.refusalCount
      sum.2 &+= client.connection.yieldCount
    }
  }
}
