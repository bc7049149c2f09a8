// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// The end of a report's path: events of matches.

extension Pipeline {
  /// Reports an event of a match, with the last payload heard among those that match.
  mutating func emit(
    _ event: SightingEvent, _ reason: SightingReason, _ slot: Int, of row: Int, skipped: UInt32 = 0
  ) {
    let index = matches.index(slot, of: row)
    if event == .found {
      devices.rows[row].streams |= UInt16(matches.quotas[Int(matches.table[index].item)].streams)
    }
    let set = sets.newestSet(of: devices.rows[row], among: matches.table[index].sets)
    let bytes = sets.payloads.bytes
    append(
      event, reason, slot, of: row, skipped: skipped, bytes.payload(sets.table[set].data, .data, of: set),
      bytes.payload(sets.table[set].response, .response, of: set))
  }

  /// Appends an event of a match with a payload to the ring.
  mutating func append(
    _ event: SightingEvent, _ reason: SightingReason, _ slot: Int, of row: Int, skipped: UInt32,
    _ data: RawSpan,
    _ response: RawSpan
  ) {
    counters.count(event)
    devices.rows[row].signal.settle()
    let match = matches.match(slot, of: row)
    let device = devices.rows[row]
    var sighting = Sighting(
      event, reason, item: match.item, of: device, at: devices.publicAddress(of: device), clock)
    sighting.pathLoss = Gate.pathLoss(device, matches.gates[Int(match.item)])
    sighting.skipped = skipped
    events.append(sighting, payload: data, response)
  }

  /// Keeps the report that a device has just sent, with what the device says now, as a sighting of no item.
  @inline(never)
  mutating func keepReading(of row: Int) {
    let set = Int(devices.rows[row].newestSet)
    guard set >= 0 else { return }
    devices.rows[row].signal.settle()
    let device = devices.rows[row]
    let bytes = sets.payloads.bytes
    readings.append(
      Sighting(.changed, .matched, item: -1, of: device, at: devices.publicAddress(of: device), clock),
      payload: bytes.payload(sets.table[set].data, .data, of: set),
      bytes.payload(sets.table[set].response, .response, of: set))
  }
}

extension Sighting {
  fileprivate init(
    _ event: SightingEvent, _ reason: SightingReason, item: Int32, of device: Device,
    at address: DeviceAddress, _ time: Instant
  ) {
    self.init(
      time: time, event: event, reason: reason, item: item, address: address,
      rssi: device.rssi >= -127 && device.rssi <= 20 ? device.rssi : nil,
      filteredRSSI: device.signal.filteredRSSI, samples: device.signal.readingCount,
      report: UInt16(truncatingIfNeeded: device.reportCount))
  }
}
