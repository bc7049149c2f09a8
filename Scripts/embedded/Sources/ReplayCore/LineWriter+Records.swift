// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI

extension LineWriter {
  /// Everything of an event but its payload.
  mutating func write(_ sighting: Sighting, sequence: UInt64) {
    text("event")
    field("number", Int64(sequence))
    field("time", sighting.time.microseconds)
    field("kind", sighting.event.number)
    field("reason", sighting.reason.number)
    field("item", Int64(sighting.item))
    write(sighting.address)
    field("rssi", sighting.rssi.map(Int64.init))
    field("filtered", sighting.filteredRSSI.map(Int64.init))
    field("loss", sighting.pathLoss.map(Int64.init))
    field("samples", Int64(sighting.samples))
  }

  mutating func write(_ device: Device, address: DeviceAddress) {
    text("device")
    write(address)
    field("first", device.firstSeen.microseconds)
    field("last", device.lastSeen.microseconds)
    field("reports", Int64(device.reportCount))
    field("rssi", Int64(device.rssi))
    field("filtered", device.signal.filteredRSSI.map(Int64.init))
    field("interval", device.signal.learnedMilliseconds.map(Int64.init))
    field("claimed", Int64(device.claimedTxPower))
  }

  private mutating func write(_ address: DeviceAddress) {
    text(" address ")
    hex(address.bits, digits: 12)
    field("type", Int64(address.type.rawValue))
  }

  private mutating func counter(_ name: StaticString, _ value: UInt64) {
    text("counter")
    field(name, Int64(value))
    endLine()
  }

  mutating func write(_ counters: ReportAssembler.Counters) {
    counter("assembled", counters.assembled)
    counter("displaced", counters.displaced)
    counter("expired", counters.expired)
    counter("oversized", counters.oversized)
  }

  /// Every counter; a new one must get its line.
  mutating func write(_ counters: Counters) {
    precondition(MemoryLayout<Counters>.size == 35 * MemoryLayout<UInt64>.size, "a counter has no line")
    counter("packets", counters.packets)
    counter("packetsTapped", counters.packetsTapped)
    counter("packetsMalformed", counters.packetsMalformed)
    counter("eventsCut", counters.eventsTruncated)
    counter("eventsWithTrailingBytes", counters.eventsWithTrailingBytes)
    counter("timesClamped", counters.timesClamped)
    counter("reports", counters.reports)
    counter("reportsCut", counters.reportsLostToTruncation)
    counter("reportsReserved", counters.reportsReserved)
    counter("reportsLengthPastEnd", counters.reportsLengthPastEnd)
    counter("reportsDataAfterEnd", counters.reportsDataAfterEnd)
    counter("reportsWrongSize", counters.reportsWrongSize)
    counter("reportsMalformed", counters.reportsMalformed)
    counter("reportsAnonymous", counters.reportsAnonymous)
    counter("reportsByChance", counters.reportsByChance)
    counter("reportsWithoutReading", counters.reportsWithoutReading)
    counter("reportsTruncated", counters.reportsTruncated)
    counter("reportsUnchanged", counters.reportsUnchanged)
    counter("devicesAdded", counters.devicesAdded)
    counter("unknownDevicesEvicted", counters.unknownDevicesEvicted)
    counter("matchingDevicesEvicted", counters.matchingDevicesEvicted)
    counter("devicesTurnedAway", counters.devicesTurnedAway)
    counter("addressesFollowed", counters.addressesFollowed)
    counter("setsReplaced", counters.setsReplaced)
    counter("setsTurnedAway", counters.setsTurnedAway)
    counter("longPayloadsEvicted", counters.longPayloadsEvicted)
    counter("longPayloadsTurnedAway", counters.longPayloadsTurnedAway)
    counter("matchesBeyondCapacity", counters.matchesBeyondCapacity)
    counter("matchesEvicted", counters.matchesEvicted)
    counter("matchesTurnedAway", counters.matchesTurnedAway)
    counter("changesSkipped", counters.changesSkipped)
    counter("changesHeldBack", counters.changesHeldBack)
    counter("found", counters.found)
    counter("changed", counters.changed)
    counter("lost", counters.lost)
  }
}

extension SightingEvent {
  fileprivate var number: Int64 {
    switch self {
    case .found: 0
    case .changed: 1
    case .lost: 2
    }
  }
}

extension SightingReason {
  fileprivate var number: Int64 {
    switch self {
    case .matched: 0
    case .entered: 1
    case .payload: 2
    case .silence: 3
    case .left: 4
    case .noLongerMatches: 5
    case .evicted: 6
    case .radioDown: 7
    case .reload: 8
    }
  }
}

extension Presence {
  var number: Int64 {
    switch self {
    case .outside: 0
    case .approaching: 1
    case .inside: 2
    case .leaving: 3
    }
  }
}
