// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// The end of a report's path: events of matches.

extension Pipeline {
  /// Reports an event of a match, with the last payload heard among those that match.
  mutating func emit(
    _ event: SightingEvent, _ reason: SightingReason, _ slot: Int, of row: Int, skipped: UInt32 = 0
  ) {
    let index = matches.index(slot, of: row)
    if event == .found { devices.rows[row].streams |= matches.quotas[Int(matches.table[index].item)].streams }
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
    events.append(
      Sighting(
        time: clock, event: event, reason: reason, item: match.item,
        address: devices.publicAddress(of: device),
        rssi: device.rssi >= -127 && device.rssi <= 20 ? device.rssi : nil,
        filteredRSSI: device.signal.filteredRSSI,
        pathLoss: Gate.pathLoss(device, matches.gates[Int(match.item)]), samples: device.signal.readingCount,
        skipped: skipped),
      payload: data, response)
  }
}
