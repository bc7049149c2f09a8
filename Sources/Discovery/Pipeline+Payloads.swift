// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// The advertising sets of a row and their two payloads each.

extension Pipeline {
  /// The set a report belongs to, at the front of its row's chain; nil when there is no place for another.
  ///
  /// A report without a set id belongs to the address's newest set. A set with an id takes over a set without one:
  /// they are the same advertiser heard through two kinds of report.
  @inline(__always)
  mutating func set(of header: Heard, row: Int) -> Int? {
    let newest = Int(devices[row].newestSet)
    if newest >= 0,
      header.advertisingSID == ReportHeader.noAdvertisingSID
        || sets[newest].advertisingSID == header.advertisingSID
    {
      sets[newest].lastSeen = clock
      return newest
    }
    return otherSet(header.advertisingSID, row: row)
  }

  @inline(never)
  private mutating func otherSet(_ advertisingSID: UInt8, row: Int) -> Int? {
    if let older = takeOut(advertisingSID, from: row) {
      putInFront(older, of: row)
      return older
    }
    let newest = Int(devices[row].newestSet)
    if newest >= 0, sets[newest].advertisingSID == ReportHeader.noAdvertisingSID {
      adopt(advertisingSID, set: newest, row: row)
      return newest
    }
    guard let set = freeSet(for: row) else {
      tally.setsTurnedAway &+= 1
      return nil
    }
    sets[set] = AdvertisingSet(advertisingSID: advertisingSID)
    putInFront(set, of: row)
    return set
  }

  private mutating func putInFront(_ set: Int, of row: Int) {
    sets[set].next = devices[row].newestSet
    sets[set].lastSeen = clock
    sets[set].row = Int32(row)
    devices[row].newestSet = Int32(set)
  }

  /// Unlinks the set with an id from a row's chain.
  private mutating func takeOut(_ advertisingSID: UInt8, from row: Int) -> Int? {
    var previous = -1
    var set = Int(devices[row].newestSet)
    while set >= 0 {
      if sets[set].advertisingSID == advertisingSID {
        unlink(set, after: previous, of: row)
        return set
      }
      previous = set
      set = Int(sets[set].next)
    }
    return nil
  }

  mutating func unlink(_ set: Int, after previous: Int, of row: Int) {
    if previous < 0 { devices[row].newestSet = sets[set].next } else { sets[previous].next = sets[set].next }
  }

  /// Gives the set without an id the one it turned out to have, in the matches as well.
  private mutating func adopt(_ advertisingSID: UInt8, set: Int, row: Int) {
    let old = sets[set].bit
    sets[set].advertisingSID = advertisingSID
    sets[set].lastSeen = clock
    for place in 0..<Int(devices[row].matchCount) {
      let match = matchIndex(place, of: row)
      guard matches[match].sets & old != 0 else { continue }
      matches[match].sets = matches[match].sets & ~old | sets[set].bit
    }
  }

  /// A set from the pool, or the row's own least recently heard one. When the pool is empty, the stranger that was
  /// heard least recently gives way to a row that has no set yet, to a device that matches, and to an accessory: a
  /// few addresses with many sets each must not make the gateway deaf.
  private mutating func freeSet(for row: Int) -> Int? {
    if freeSet < 0, devices[row].newestSet < 0 || (!isStranger(row) && strangerCount > 0) {
      evictDevice(sparing: row)
    }
    if freeSet >= 0 {
      let set = Int(freeSet)
      freeSet = sets[set].next
      return set
    }
    var previous = -1
    var set = Int(devices[row].newestSet)
    guard set >= 0 else { return nil }
    while sets[set].next >= 0 {
      previous = set
      set = Int(sets[set].next)
    }
    forget(set, of: row, reason: .evicted)
    unlink(set, after: previous, of: row)
    releasePayloads(of: set)
    tally.setsReplaced &+= 1
    return set
  }

  mutating func releaseSets(of row: Int) {
    while devices[row].newestSet >= 0 {
      let set = Int(devices[row].newestSet)
      devices[row].newestSet = sets[set].next
      releasePayloads(of: set)
      sets[set] = AdvertisingSet(next: freeSet)
      freeSet = Int32(set)
    }
  }

  mutating func releasePayloads(of set: Int) {
    payloads.release(&sets[set].data)
    payloads.release(&sets[set].response)
  }

  /// Keeps the payload of a report; true when it is other than before.
  ///
  /// A directed PDU without data says nothing about the payload, and a truncated payload says nothing against a
  /// longer one that it begins.
  @inline(__always)
  mutating func store(_ bytes: RawSpan, _ header: Heard, set: Int) -> Bool {
    if header.properties.contains(.directed), bytes.byteCount == 0 { return false }
    let isResponse = header.properties.contains(.scanResponse)
    let part: PayloadPart = isResponse ? .response : .data
    let stored = isResponse ? sets[set].response : sets[set].data
    let octets = payloads.bytes
    let known = octets.payload(stored, part, of: set)
    if known.equals(bytes) { return false }
    if header.dataStatus == .truncated, known.starts(with: bytes) { return false }
    return replace(stored, part, of: set, with: bytes)
  }

  @inline(never)
  private mutating func replace(
    _ stored: StoredPayload, _ part: PayloadPart, of set: Int, with bytes: RawSpan
  ) -> Bool {
    if payloads.needsSlot(for: bytes.byteCount, over: stored) { evictLongPayload() }
    guard bytes.byteCount <= ReportAssembler.payloadBytesMax,
      !payloads.needsSlot(for: bytes.byteCount, over: stored)
    else {
      tally.longPayloadsTurnedAway &+= 1
      return false
    }
    switch part {
    case .data: payloads.replace(&sets[set].data, part, of: set, with: bytes)
    case .response: payloads.replace(&sets[set].response, part, of: set, with: bytes)
    }
    return true
  }

  /// Frees the long payloads of the set that was heard least recently among those that bear no match and belong to
  /// no accessory, if there is one.
  mutating func evictLongPayload() {
    var oldest: Int?
    for slot in 0..<payloads.slotCount {
      guard let set = payloads.owner(ofSlot: slot), !isNeeded(set) else { continue }
      if let other = oldest, sets[other].lastSeen <= sets[set].lastSeen { continue }
      oldest = set
    }
    guard let oldest else { return }
    releasePayloads(of: oldest)
    sets[oldest].isEvaluated = false
    tally.longPayloadsEvicted &+= 1
  }

  private func isNeeded(_ set: Int) -> Bool {
    let row = Int(sets[set].row)
    if devices[row].isAccessory { return true }
    for place in 0..<Int(devices[row].matchCount) where match(place, of: row).sets & sets[set].bit != 0 {
      return true
    }
    return false
  }
}
