// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// How each table of a new pipeline gets what the old one's held.

extension DeviceTable {
  /// Free rows are used in the order they would have been; those that are new come last. There are no fewer rows than
  /// before.
  mutating func copyFreeRows(_ old: borrowing DeviceTable) {
    let added = rows.count - old.rows.count
    for index in 0..<added { freeRows[index] = Int32(rows.count - 1 - index) }
    for index in 0..<old.freeCount { freeRows[added + index] = old.freeRows[index] }
    freeCount = added + old.freeCount
  }
}

extension AdvertisingSetTable {
  /// Copies the sets of one device with their payloads, newest first.
  mutating func copyChain(
    ofRow oldRow: Int, from old: borrowing Pipeline, to row: Int, of device: inout Device, keepsNumbers: Bool
  ) {
    var previous = -1
    var oldSet = Int(old.devices.rows[oldRow].newestSet)
    while oldSet >= 0 {
      let set = keepsNumbers ? oldSet : claimFreeSet()
      var copy = old.sets.table[oldSet]
      copy.data = payloads.copy(copy.data, .data, of: set, from: old.sets.payloads, oldSet: oldSet)
      copy.response = payloads.copy(
        copy.response, .response, of: set, from: old.sets.payloads, oldSet: oldSet)
      copy.row = Int32(row)
      copy.next = -1
      copy.knownFrames = -1
      table[set] = copy
      if previous < 0 { device.newestSet = Int32(set) } else { table[previous].next = Int32(set) }
      previous = set
      oldSet = Int(old.sets.table[oldSet].next)
    }
  }

  /// Free sets are used in the order they would have been; those that are new come last.
  mutating func copyFreeSets(_ old: borrowing AdvertisingSetTable) {
    let added = table.count > old.table.count ? Int32(old.table.count) : -1
    firstFree = old.firstFree < 0 ? added : old.firstFree
    var set = Int(old.firstFree)
    while set >= 0 {
      let next = old.table[set].next
      table[set].next = next < 0 ? added : next
      set = Int(next)
    }
  }
}

extension PayloadStore {
  /// Copies a payload from another store. A long one stays in its slot when this store has as many; else it takes the
  /// lowest free one, which the caller has made sure of.
  mutating func copy(
    _ stored: StoredPayload, _ part: PayloadPart, of set: Int, from old: borrowing PayloadStore, oldSet: Int
  ) -> StoredPayload {
    let bytes = old.bytes
    let source = bytes.payload(stored, part, of: oldSet)
    var copy = stored
    if stored.slot >= 0, slotCount >= old.slotCount {
      claim(slot: Int(stored.slot), for: set)
    } else {
      copy.slot = -1
    }
    replace(&copy, part, of: set, with: source)
    return copy
  }
}

extension VictimQueue {
  /// Goes on with the candidates of another queue, for rows that keep their numbers and their kind.
  mutating func copy(_ old: borrowing VictimQueue) {
    for index in 0..<old.count { candidates[index] = old.candidates[index] }
    count = old.count
    head = old.head
    holdsUnknownDevices = old.holdsUnknownDevices
  }
}

extension EventRing {
  /// Copies the events of another ring with their numbers, as many of the latest as fit. `names` gives each item index
  /// its new one.
  mutating func copy(_ old: borrowing EventRing, names: Span<Int32>) {
    oldest = old.oldest
    produced = old.oldest
    while produced < old.produced {
      let slot = old.slots[old.slotIndex(produced)]
      var sighting = slot.sighting
      sighting.item = names[Int(sighting.item)]
      let start = old.bytes.count > 0 ? Int(truncatingIfNeeded: slot.start % UInt64(old.bytes.count)) : 0
      let fitting = min(Int(slot.byteCount), old.bytes.count - start)
      append(
        sighting, payload: old.bytes.span(at: start, count: fitting),
        old.bytes.span(at: 0, count: Int(slot.byteCount) - fitting))
    }
  }
}
