// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Interfaces
public import JSON
import Manifest

extension CaptureReplay {
  /// The last line of `replay --json --summary` (`Config/schema/replay-summary.schema.json`).
  public func writeSummary(to json: inout JSONWriter) {
    let members = counts
    json.line { json in
      json.object("summary") { json in
        for (key, count) in members { json.member(key, count) }
      }
    }
  }

  /// A few lines: the totals, then every counter of a loss that is not zero.
  public var summaryText: String {
    let total = counters
    var rows = TextRows(indent: 0, labelColumnCount: 26, .plain)
    rows.line("")
    rows.row(
      "capture", "\(recordCount) records, \(Seconds(microseconds: duration.microseconds).text(decimals: 3)) s"
    )
    rows.row("reports", "\(total.reports), \(total.reportsUnchanged) of them unchanged")
    rows.row("devices", "\(total.devicesAdded)")
    rows.row("events", "\(total.found) found, \(total.changed) changed, \(total.lost) lost")
    for (key, count) in losses where count > 0 { rows.row(key, "\(count)") }
    return rows.text
  }

  private var counts: [(String, UInt64)] {
    let total = counters
    return [
      ("reports", total.reports), ("reportsMalformed", total.reportsMalformed),
      ("events", total.found + total.changed + total.lost), ("found", total.found),
      ("changed", total.changed),
      ("lost", total.lost), ("records", UInt64(recordCount)), ("packets", total.packets),
      ("packetsTapped", total.packetsTapped), ("reportsUnchanged", total.reportsUnchanged),
      ("devicesAdded", total.devicesAdded), ("addressesFollowed", total.addressesFollowed),
      ("chainsAssembled", dataPath.pipeline.assemblerCounters.assembled),
    ] + losses
  }

  /// What was lost or turned away, by kind.
  private var losses: [(String, UInt64)] {
    let total = counters
    let chains = dataPath.pipeline.assemblerCounters
    return [
      ("recordsCut", UInt64(recorder.cutCount)), ("recorderDrops", recorder.dropCount),
      ("eventsMissed", missedCount), ("timesClamped", total.timesClamped),
      ("packetsMalformed", total.packetsMalformed), ("eventsCut", total.eventsTruncated),
      ("eventsWithTrailingBytes", total.eventsWithTrailingBytes),
      ("reportsCut", total.reportsLostToTruncation),
      ("reportsReserved", total.reportsReserved), ("reportsLengthPastEnd", total.reportsLengthPastEnd),
      ("reportsDataAfterEnd", total.reportsDataAfterEnd), ("reportsWrongSize", total.reportsWrongSize),
      ("reportsAnonymous", total.reportsAnonymous), ("reportsWithoutReading", total.reportsWithoutReading),
      ("reportsTruncated", total.reportsTruncated), ("chainsDisplaced", chains.displaced),
      ("chainsExpired", chains.expired), ("chainsOversized", chains.oversized),
      ("unknownDevicesEvicted", total.unknownDevicesEvicted),
      ("matchingDevicesEvicted", total.matchingDevicesEvicted),
      ("devicesTurnedAway", total.devicesTurnedAway), ("setsReplaced", total.setsReplaced),
      ("setsTurnedAway", total.setsTurnedAway), ("longPayloadsEvicted", total.longPayloadsEvicted),
      ("longPayloadsTurnedAway", total.longPayloadsTurnedAway),
      ("matchesBeyondCapacity", total.matchesBeyondCapacity), ("matchesEvicted", total.matchesEvicted),
      ("matchesTurnedAway", total.matchesTurnedAway), ("changesSkipped", total.changesSkipped),
      ("changesHeldBack", total.changesHeldBack), ("changesWaiting", waitingCount),
    ]
  }
}
