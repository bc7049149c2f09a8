// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

// Looking at the tables from outside; nothing here changes them.

extension Pipeline {
  /// Rows in the device table; an index is not a device until ``device(at:)`` says so.
  public var rowCount: Int { devices.count }

  /// The device in a row, or nil when the row is free.
  public func device(at row: Int) -> Device? { devices[row].isLive ? devices[row] : nil }

  /// The row of an address as it is on the air now, or of an identity address that a key resolved.
  public func row(at address: DeviceAddress) -> Int? {
    let row = index.row(of: address)
    if row >= 0 { return row }
    for row in 0..<devices.count where devices[row].isLive && publicAddress(of: devices[row]) == address {
      return row
    }
    return nil
  }

  /// The address that events give for the device in a row.
  public func address(at row: Int) -> DeviceAddress { publicAddress(of: devices[row]) }

  /// One of the matches of the device in a row, 0 ..< its `matchCount`, in manifest order.
  public func match(_ place: Int, at row: Int) -> Match {
    precondition(place >= 0 && place < Int(devices[row].matchCount))
    return match(place, of: row)
  }

  /// The gate settings of an item.
  public func gate(ofItem item: Int) -> GateSettings { gates[item] }

  /// dB between the item's or the claimed transmit power and the filtered level of the device in a row.
  public func pathLoss(at row: Int, item: Int) -> Int16? { pathLoss(of: devices[row], item: item) }

  /// Advertising sets of the device in a row, the one heard last first.
  public func setCount(at row: Int) -> Int {
    var count = 0
    var set = Int(devices[row].newestSet)
    while set >= 0 {
      count += 1
      set = Int(sets[set].next)
    }
    return count
  }

  private func set(_ position: Int, at row: Int) -> Int {
    var set = Int(devices[row].newestSet)
    for _ in 0..<position { set = Int(sets[set].next) }
    return set
  }

  /// The latest advertising data of one of the device's sets.
  @_lifetime(borrow self)
  public func data(ofSet position: Int, at row: Int) -> RawSpan {
    let set = set(position, at: row)
    return payloads.bytes.payload(sets[set].data, .data, of: set)
  }

  /// The latest scan response of one of the device's sets.
  @_lifetime(borrow self)
  public func response(ofSet position: Int, at row: Int) -> RawSpan {
    let set = set(position, at: row)
    return payloads.bytes.payload(sets[set].response, .response, of: set)
  }

  /// Checks every promise the tables make to each other; for tests.
  public func checkInvariants() {
    deadlines.checkInvariants()
    var strangers = 0
    var live = 0
    var setsInUse = 0
    for row in 0..<devices.count where devices[row].isLive {
      live += 1
      if isStranger(row) { strangers += 1 }
      precondition(index.row(of: devices[row].address) == row, "an address leads to another row")
      setsInUse += checkSets(of: row)
      checkMatches(of: row)
    }
    precondition(strangers == strangerCount, "strangers are miscounted")
    precondition(live + freeRowCount == devices.count, "rows are lost")
    precondition(setsInUse + freeSetCount == sets.count, "sets are lost")
    for item in 0..<itemMatches.count { checkQuota(of: item) }
  }

  var freeSetCount: Int {
    var count = 0
    var set = Int(freeSet)
    while set >= 0 {
      count += 1
      set = Int(sets[set].next)
    }
    return count
  }

  private func checkSets(of row: Int) -> Int {
    var count = 0
    var bits: UInt32 = 0
    var set = Int(devices[row].newestSet)
    while set >= 0 {
      count += 1
      precondition(Int(sets[set].row) == row, "a set does not know its row")
      precondition(bits & sets[set].bit == 0, "two sets of a row have one id")
      bits |= sets[set].bit
      precondition(isOwner(set, of: sets[set].data), "a long payload has another owner")
      precondition(isOwner(set, of: sets[set].response), "a long scan response has another owner")
      set = Int(sets[set].next)
    }
    for place in 0..<Int(devices[row].matchCount) {
      let bearers = match(place, of: row).sets
      precondition(bearers != 0 && bearers & ~bits == 0, "a match is borne by a set that is not there")
    }
    return count
  }

  private func isOwner(_ set: Int, of stored: StoredPayload) -> Bool {
    stored.slot < 0 || payloads.owner(ofSlot: Int(stored.slot)) == set
  }

  private func checkMatches(of row: Int) {
    for place in 1..<max(1, Int(devices[row].matchCount)) {
      precondition(match(place - 1, of: row).item < match(place, of: row).item, "matches are out of order")
    }
    guard let due = deadline(of: row) else { return }
    precondition(deadlines.isDue(row, after: Instant(microseconds: .min)), "a match waits for nothing")
    precondition(!deadlines.isDue(row, after: due), "a deadline would come too late")
  }

  private func checkQuota(of item: Int) {
    var count: Int32 = 0
    for row in 0..<devices.count where devices[row].isLive && !devices[row].isAccessory {
      if has(item: item, row: row) { count += 1 }
    }
    precondition(itemMatches[item] == count, "an item's matches are miscounted")
    precondition(count <= capacities.matchesPerItem, "a quota is broken")
  }
}
