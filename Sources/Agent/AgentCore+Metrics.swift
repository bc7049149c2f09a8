// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import Discovery
import HCI
import JSON
import Manifest
import Varlink

// Every counter, for machines that watch over machines.

extension AgentCore {
  /// Octets of the text in one reply; JSON escapes quotes and line feeds, and the envelope needs some too.
  private static let textBytesMax = 24 << 10

  /// The reply to `Metrics`.
  func metrics() -> [UInt8] {
    var text = MetricsText()
    write(dataPath.pipeline.counters, to: &text)
    writeLosses(dataPath.pipeline.counters, to: &text)
    writeTables(to: &text)
    writeRadio(to: &text)
    writeService(to: &text)
    writeSetup(to: &text)
    writeItems(to: &text)
    return Message.reply { $0.member("text", text.text) }
  }

  private func write(_ counters: Counters, to text: inout MetricsText) {
    text.sample("packets_total", .counter, "Packets from the radio.", counters.packets)
    text.sample("reports_total", .counter, "Advertising reports read.", counters.reports)
    text.sample(
      "reports_unchanged_total", .counter, "Reports that repeated a known payload.", counters.reportsUnchanged
    )
    text.samples(
      "events_total", .counter, "Sighting events by kind.", "event",
      [("found", counters.found), ("changed", counters.changed), ("lost", counters.lost)])
    text.sample(
      "changes_coalesced_total", .counter, "Payload changes reported together with a later one.",
      counters.changesCoalesced)
    text.sample("devices_added_total", .counter, "Rows made for new addresses.", counters.devicesAdded)
    text.sample(
      "addresses_followed_total", .counter, "Private addresses that an identity key resolved to a known row.",
      counters.addressesFollowed)
    text.sample(
      "receive_drops_total", .counter, "Packets that the kernel dropped before they were read.",
      tally.receiveDrops)
    text.sample(
      "receive_room_bytes", .gauge, "What the kernel keeps of an adapter's packets until they are read.",
      tally.receiveRoomBytes)
    text.sample(
      "queueing_samples_total", .counter, "Packets whose time in the kernel was measured.",
      tally.queueing.count)
    text.sample(
      "queueing_microseconds_total", .counter, "How long they waited there, in all.", tally.queueing.sum)
    text.sample(
      "queueing_microseconds_max", .gauge, "How long the slowest of them waited.", tally.queueing.longest)
    text.sample(
      "management_messages_cut_total", .counter, "Messages of the management interface that were too short.",
      tally.managementMessagesCut)
  }

  private func writeLosses(_ counters: Counters, to text: inout MetricsText) {
    let assembler = dataPath.pipeline.assemblerCounters
    text.samples(
      "malformed_total", .counter, "What was not as the specification has it, by kind.", "kind",
      [
        ("packet", counters.packetsMalformed), ("eventCut", counters.eventsTruncated),
        ("eventTrailing", counters.eventsWithTrailingBytes), ("reportCut", counters.reportsLostToTruncation),
        ("reportReserved", counters.reportsReserved), ("report", counters.reportsMalformed),
        ("lengthPastEnd", counters.reportsLengthPastEnd), ("dataAfterEnd", counters.reportsDataAfterEnd),
        ("wrongSize", counters.reportsWrongSize),
      ])
    text.samples(
      "reports_limited_total", .counter, "Reports that lack something, by what.", "kind",
      [
        ("address", counters.reportsAnonymous), ("reading", counters.reportsWithoutReading),
        ("truncated", counters.reportsTruncated),
      ])
    text.samples(
      "chains_total", .counter, "Chains of extended advertising by what became of them.", "outcome",
      [
        ("assembled", assembler.assembled), ("displaced", assembler.displaced),
        ("expired", assembler.expired), ("oversized", assembler.oversized),
      ])
    text.samples(
      "turned_away_total", .counter, "What found a table full, by table.", "table",
      [
        ("devices", counters.devicesTurnedAway), ("sets", counters.setsTurnedAway),
        ("longPayloads", counters.longPayloadsTurnedAway),
        ("matchesOfDevice", counters.matchesBeyondCapacity),
        ("matchesOfItem", counters.matchesTurnedAway),
      ])
    text.samples(
      "evicted_total", .counter, "What gave way to something newer, by kind.", "kind",
      [
        ("strangers", counters.unknownDevicesEvicted), ("matchingDevices", counters.matchingDevicesEvicted),
        ("sets", counters.setsReplaced), ("longPayloads", counters.longPayloadsEvicted),
        ("matchesOfItem", counters.matchesEvicted),
      ])
    text.sample(
      "times_clamped_total", .counter, "Inputs whose time lay before the one before.", counters.timesClamped)
  }

  private func writeTables(to text: inout MetricsText) {
    text.sample("devices", .gauge, "Devices in the table.", dataPath.deviceCount)
    text.sample("devices_max", .gauge, "Places in the device table.", dataPath.pipeline.rowCount)
    text.sample("devices_found", .gauge, "Devices that an item has found.", dataPath.foundCount)
    text.sample("tables_bytes", .gauge, "Bytes set aside for the data path's tables.", dataPath.byteCount)
    text.sample(
      "uptime_seconds", .gauge, "Since the agent started, by the radio's clock.",
      radioTime.microseconds / 1_000_000)
  }

  private func writeRadio(to text: inout MetricsText) {
    text.samples(
      "radio_state", .gauge, "1 for the state that the radio is in.", "state",
      RadioState.allCases.map { ($0.rawValue, $0 == radio.state ? 1 : 0) })
    text.sample("radio_bringups_total", .counter, "Bring-ups of the controller begun.", radio.bringups)
    text.sample("radio_failures_total", .counter, "Bring-ups and scans that failed.", radio.failures)
    text.sample(
      "radio_probes_total", .counter, "Times that a silent radio was asked whether it is there.", radio.probes
    )
    text.samples(
      "radio_recoveries_total", .counter, "Remedies tried with an adapter that did not do its work.", "rung",
      RecoveryAction.allCases.map { ($0.rawValue, radio.watchdog.tries[$0] ?? 0) })
    text.sample(
      "radio_ladders_lost_total", .counter, "Times that no remedy had helped.", radio.watchdog.laddersLost)
  }

  private func writeService(to text: inout MetricsText) {
    text.sample("connections", .gauge, "Clients.", clients.count)
    text.sample("connections_admitted_total", .counter, "Clients let in.", clients.admitted)
    text.samples(
      "connections_refused_total", .counter, "Connections turned away, by reason.", "reason",
      AdmissionRefusal.allCases.map { ($0.rawValue, clients.refused[$0] ?? 0) })
    text.samples(
      "connections_broken_total", .counter, "Clients that were cut off, by reason.", "reason",
      [("frame", tally.closedForFrame), ("json", tally.closedForJSON), ("overdue", tally.closedOverdue)])
    let connections = clients.tallies
    text.sample("calls_total", .counter, "Calls taken.", tally.calls &+ connections.calls)
    text.sample(
      "calls_refused_total", .counter, "Calls answered with an error.",
      tally.callsRefused &+ connections.refusals)
    text.sample(
      "calls_deferred_total", .counter, "Turns in which a client sent more calls than one turn takes.",
      tally.rests &+ connections.rests)
    text.sample(
      "permissions_denied_total", .counter, "Calls of operators' methods by others.", tally.permissionsDenied)
    text.sample("busy_total", .counter, "Calls that found too many of their kind going on.", tally.busy)
    text.sample("events_delivered_total", .counter, "Events given to watchers.", tally.eventsDelivered)
    text.sample(
      "events_missed_total", .counter, "Events overwritten before a watcher had read them.",
      tally.eventsMissed)
    text.sample(
      "packets_captured_total", .counter, "Packets given to recordings.", tally.packetsCaptured)
    text.sample(
      "packets_missed_total", .counter, "Packets that a recording had no time to read.", tally.packetsMissed)
    writeLoop(to: &text)
    text.sample("reloads_total", .counter, "Manifests that took effect after the first.", tally.reloads)
    text.sample("reloads_refused_total", .counter, "Manifests that were refused.", tally.reloadsRefused)
  }

  private func writeLoop(to text: inout MetricsText) {
    text.sample("turns_total", .counter, "Turns of the loop.", tally.turns)
    text.sample(
      "longest_turn_microseconds", .gauge, "The longest turn of the loop since the start.",
      loop.longestTurnMicroseconds)
    text.samples(
      "touch_signals_total", .counter, "Runs of the program for touches, by how they ended.", "result",
      [
        ("done", loop.touchSignals.done), ("failed", loop.touchSignals.failed),
        ("overdue", loop.touchSignals.overdue), ("notRun", loop.touchSignals.notRun),
        ("dropped", loop.touchSignals.dropped),
      ])
    text.sample("radio_reads_total", .counter, "Turns that read the radio.", loop.drains)
    text.samples(
      "system_calls_total", .counter, "Calls to the system, by what for.", "purpose",
      [("clients", loop.clientCalls), ("watching", loop.watchCalls)])
    text.sample(
      "descriptor_exhaustions_total", .counter, "How often no descriptor was free for a client.",
      loop.exhaustions)
    text.sample(
      "stale_events_total", .counter, "Events of descriptors that had been closed by then.", loop.staleEvents)
    text.sample(
      "log_lines_dropped_total", .counter, "Log lines that nobody read in time.", loop.logLinesDropped)
  }

  /// Items that would not fit are counted and left out.
  private func writeItems(to text: inout MetricsText) {
    let counts = dataPath.itemCounts
    var lines = MetricsText()
    lines.family("item_devices", .gauge, "Devices that match an item, and that it has found.")
    var omitted = 0
    for (index, item) in dataPath.items.enumerated() {
      let labels =
        "app=\"\(MetricsText.escaped(item.app))\",item=\"\(MetricsText.escaped(item.item.id))\""
      let line =
        "accessoryd_item_devices{\(labels),presence=\"matching\"} \(counts[index].matching)\n"
        + "accessoryd_item_devices{\(labels),presence=\"found\"} \(counts[index].found)\n"
      guard text.text.utf8.count + lines.text.utf8.count + line.utf8.count < Self.textBytesMax else {
        omitted += 1
        continue
      }
      lines.line(line)
    }
    text.line(lines.text)
    text.sample("items_omitted", .gauge, "Items that this text has no room for.", omitted)
  }
}

extension DataPath {
  /// How many devices match each item, and how many it has found.
  fileprivate var itemCounts: [(matching: Int, found: Int)] {
    var counts = Array(repeating: (matching: 0, found: 0), count: items.count)
    for row in 0..<pipeline.rowCount {
      guard let device = pipeline.device(at: row) else { continue }
      for place in 0..<Int(device.matchCount) {
        let match = pipeline.match(place, at: row)
        counts[Int(match.item)].matching += 1
        if match.isFound { counts[Int(match.item)].found += 1 }
      }
    }
    return counts
  }
}

extension ClientTable {
  /// What the connections that are open have counted.
  fileprivate var tallies: (calls: UInt64, refusals: UInt64, rests: UInt64) {
    places.reduce(into: (0, 0, 0)) { sum, client in
      guard let connection = client?.connection else { return }
      sum.0 &+= connection.callCount
      sum.1 &+= connection.refusalCount
      sum.2 &+= connection.yieldCount
    }
  }
}
