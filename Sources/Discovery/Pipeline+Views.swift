// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What the immediate gate of one item sees of one device, for operators who ask why. Levels are Q4: sixteenths of a
/// decibel.
public struct GateReading: Equatable, Sendable, BitwiseCopyable {
  /// The filtered level; nil without a reading since the device was last silent.
  public var level: Int16?
  /// The filtered level at or above which the device may enter.
  public var enter: Int
  /// The filtered level below which the device, once inside, starts to leave.
  public var leave: Int
  /// Readings within the window, and how many are needed.
  public var samples: Int
  public var samplesMin: Int
  public var windowMilliseconds: Int64
  /// How long the level must stay high enough to enter, and low enough to leave.
  public var enterDwellMilliseconds: Int64
  public var leaveDwellMilliseconds: Int64
  /// When the device counts as silent.
  public var silenceEnd: Instant

  /// Whether a device that has sent `reports` sends so seldom that `samplesMin` readings never fall into the longest
  /// window. A few gaps may be chance.
  public static func isTooSlow(
    learnedMilliseconds: UInt32?, reports: UInt32, samplesMin: Int, windowMilliseconds: Int64
  ) -> Bool {
    guard let learnedMilliseconds, learnedMilliseconds > 0, reports >= 4 else { return false }
    return windowMilliseconds / Int64(learnedMilliseconds) + 1 < Int64(samplesMin)
  }
}

// The tables as callers read them; nothing here changes anything.

extension Pipeline {
  /// Rows in the device table; an index is not a device until ``device(at:)`` says so.
  public var rowCount: Int { devices.rows.count }

  /// Whether the row holds a device.
  public func isLive(_ row: Int) -> Bool { devices.rows[row].isLive }

  /// The device in a row, or nil when the row is free.
  public func device(at row: Int) -> Device? { devices.rows[row].isLive ? devices.rows[row] : nil }

  /// The row of an address as it is on the air now, or of an identity address that a key resolved.
  public func row(at address: DeviceAddress) -> Int? { devices.row(at: address) }

  /// The address that events give for the device in a row.
  public func address(at row: Int) -> DeviceAddress { devices.publicAddress(of: devices.rows[row]) }

  /// Passes each device to `body`, with its row and the address that is on the air.
  public func forEachDevice(_ body: (_ row: Int, Device) -> Void) {
    var (row, remaining) = (0, devices.usedCount)
    while remaining > 0 {
      if devices.rows[row].isLive {
        body(row, devices.rows[row])
        remaining -= 1
      }
      row += 1
    }
  }

  /// Passes each match of each device to `body`, the device with the address that events give.
  public func forEachMatch(_ body: (_ row: Int, _ slot: Int, Device, Match) -> Void) {
    forEachDevice { row, device in
      guard device.matchCount > 0 else { return }
      var device = device
      device.address = devices.publicAddress(of: device)
      for slot in 0..<devices.matchCount(row) { body(row, slot, device, matches.match(slot, of: row)) }
    }
  }

  /// One of the matches of the device in a row, 0 ..< its `matchCount`, in manifest order.
  public func match(_ slot: Int, at row: Int) -> Match {
    precondition(slot >= 0 && slot < devices.matchCount(row))
    return matches.match(slot, of: row)
  }

  /// Whether the device in a row has been silent for long enough that its match gives way to any other.
  public func isSilent(row: Int, item: Int) -> Bool {
    matches.rank(of: row, in: devices.rows, item: item, at: clock) == ItemQuota.silent
  }

  /// Whether the frame that the device in a row sent last belongs to a set that bears the match.
  public func isOnAir(_ slot: Int, at row: Int) -> Bool {
    let newest = Int(devices.rows[row].newestSet)
    return newest >= 0 && match(slot, at: row).sets & sets.table[newest].bit != 0
  }

  /// The gate settings of an item.
  public func gate(ofItem item: Int) -> GateSettings { matches.gates[item] }

  /// The levels at which an item's gate lets a device in and out, in sixteenths of a dBm. A device that claims a transmit
  /// power may have to come nearer.
  public func thresholds(ofItem item: Int) -> (enter: Int, leave: Int) {
    let thresholds = Gate.thresholds(gate(ofItem: item), claimedTxPower: nil)
    return (thresholds.enter, thresholds.leave)
  }

  /// The items that match the device in a row and turned it away because they were full.
  public func itemsThatTurnedAway(row: Int) -> MatchedItems {
    var items = MatchedItems()
    let device = devices.rows[row]
    guard device.isLive, !device.isAccessory, devices.matchCount(row) < MatchedItems.capacity else {
      return items
    }
    var set = Int(device.newestSet)
    while set >= 0 {
      let matching = sets.table[set].evaluation.items
      for position in 0..<matching.count where !items.contains(matching[position]) {
        let item = Int(matching[position])
        guard !matches.hasFreeSlot(forItem: item),
          matches.slot(ofItem: item, row: row, count: device.matchCount) == nil,
          clock.milliseconds(since: device.lastSeen) < silence(of: row, matches.gates[item])
        else { continue }
        items.insert(matching[position])
      }
      set = Int(sets.table[set].next)
    }
    return items
  }

  /// dB between the item's or the claimed transmit power and the filtered level of the device in a row.
  public func pathLoss(at row: Int, item: Int) -> Int16? {
    Gate.pathLoss(devices.rows[row], matches.gates[item])
  }

  /// What an item's gate sees of the device in a row at the time of the latest input.
  public func gateReading(at row: Int, item: Int) -> GateReading {
    let settings = matches.gates[item]
    let device = devices.rows[row]
    let thresholds = thresholds(at: row, item: item)
    let window = device.signal.patience(
      floor: settings.sampleWindowMilliseconds, factor: 4, ceiling: settings.sampleWindowMillisecondsMax)
    return GateReading(
      level: device.signal.readingCount == 0 ? nil : device.signal.level,
      enter: thresholds.enter, leave: thresholds.leave,
      samples: device.signal.readings(within: window, at: clock), samplesMin: Int(settings.samplesMin),
      windowMilliseconds: window, enterDwellMilliseconds: Int64(settings.enterDwellMilliseconds),
      leaveDwellMilliseconds: Int64(settings.leaveDwellMilliseconds),
      silenceEnd: Gate.silenceEnd(device.signal, settings))
  }

  /// The level at which an item's gate lets the device in a row in, in sixteenths of a dBm.
  public func enterLevel(at row: Int, item: Int) -> Int { thresholds(at: row, item: item).enter }

  private func thresholds(at row: Int, item: Int) -> Gate.Thresholds {
    let claimed = devices.rows[row].claimedTxPower
    return Gate.thresholds(
      matches.gates[item], claimedTxPower: claimed == ReportHeader.noTxPower ? nil : claimed)
  }

  /// Whether the device in a row sends too seldom for an item's gate ever to let it in.
  public func isTooSlow(row: Int, item: Int) -> Bool {
    guard matches.gates[item].isImmediate else { return false }
    let reading = gateReading(at: row, item: item)
    let device = devices.rows[row]
    return GateReading.isTooSlow(
      learnedMilliseconds: device.signal.learnedMilliseconds, reports: device.reportCount,
      samplesMin: reading.samplesMin, windowMilliseconds: reading.windowMilliseconds)
  }

  /// The time before which nothing is due; nil when nothing will be without further input.
  public var nextDeadline: Instant? { deadlines.first?.time }

  /// What a turn of the loop looks at.
  public struct Glance: Sendable, BitwiseCopyable {
    /// How many reports and sighting events there were so far.
    public let reports: UInt64
    public let events: UInt64
    /// As ``filterChanges``.
    public let filterChanges: UInt32
    /// As ``nextDeadline``.
    public let deadline: Instant?
  }

  /// Lets time pass, and tells how the pipeline is then.
  public mutating func glance(at time: Instant) -> Glance {
    advance(to: time)
    return Glance(
      reports: counters.reports, events: events.produced, filterChanges: filterChanges, deadline: nextDeadline
    )
  }

  /// Lets time pass up to the next deadline, if that is not after `time`. Returns whether there was one.
  ///
  /// It changes the pipeline even when it returns false: a mutating caller that only borrowed it would copy all of it.
  public mutating func advanceToDeadline(notAfter time: Instant) -> Bool {
    guard deadlines.soonest <= time, let due = deadlines.first?.time else { return false }
    advance(to: max(due, clock))
    return true
  }

  /// Advertising sets of the device in a row, the one heard last first.
  public func setCount(at row: Int) -> Int { sets.count(from: devices.rows[row].newestSet) }

  /// Whether the last advertisement of the device in a row invited connections.
  public func isConnectable(at row: Int) -> Bool {
    setCount(at: row) > 0 && sets.table[set(0, at: row)].isConnectable
  }

  private func set(_ position: Int, at row: Int) -> Int {
    var set = Int(devices.rows[row].newestSet)
    for _ in 0..<position { set = Int(sets.table[set].next) }
    return set
  }

  /// The latest advertising data of one of the device's sets.
  @_lifetime(borrow self)
  public func data(ofSet position: Int, at row: Int) -> RawSpan {
    let set = set(position, at: row)
    return sets.payloads.bytes.payload(sets.table[set].data, .data, of: set)
  }

  /// The latest scan response of one of the device's sets.
  @_lifetime(borrow self)
  public func response(ofSet position: Int, at row: Int) -> RawSpan {
    let set = set(position, at: row)
    return sets.payloads.bytes.payload(sets.table[set].response, .response, of: set)
  }

  /// Checks every promise the tables make to each other; for tests.
  public func checkInvariants() {
    devices.checkInvariants()
    matches.checkInvariants(devices.rows)
    deadlines.checkInvariants()
    var setsInUse = 0
    for row in 0..<devices.rows.count where devices.rows[row].isLive {
      setsInUse += checkSets(of: row)
      checkDeadline(of: row)
    }
    precondition(setsInUse + sets.freeCount == sets.table.count, "sets are lost")
  }

  private func checkSets(of row: Int) -> Int {
    var count = 0
    var bits: UInt32 = 0
    var set = Int(devices.rows[row].newestSet)
    while set >= 0 {
      count += 1
      let entry = sets.table[set]
      precondition(Int(entry.row) == row, "a set does not know its row")
      precondition(bits & entry.bit == 0, "two sets of a row have one SID")
      bits |= entry.bit
      checkKnownFrames(of: set, row: row)
      precondition(isOwner(set, of: entry.data), "a long payload has another owner")
      precondition(isOwner(set, of: entry.response), "a long scan response has another owner")
      let items = entry.evaluation.items
      for position in 0..<items.count {
        precondition(
          Int(items[position]) < matches.gates.count, "a payload matches an item of an old manifest")
      }
      set = Int(entry.next)
    }
    for slot in 0..<devices.matchCount(row) {
      let bearers = matches.match(slot, of: row).sets
      precondition(bearers & ~bits == 0, "a match is borne by a set that is not there")
    }
    return count
  }

  private func checkKnownFrames(of set: Int, row: Int) {
    guard sets.table[set].knownFrames >= 0 else { return }
    precondition(
      sets.table[set].isEvaluated, "frames are known although the current one has to be matched")
    let known = Int(sets.table[set].knownFrames)
    let part = sets.known.part(of: known)
    let bytes = sets.payloads.bytes
    let payload = bytes.payload(
      part == .data ? sets.table[set].data : sets.table[set].response, part, of: set)
    precondition(
      sets.known.isCurrent(payload, in: known), "the current frame of a set is not the known one")
    for slot in 0..<devices.matchCount(row) where matches.match(slot, of: row).isFound {
      let entry = Int(matches.match(slot, of: row).frames)
      precondition(
        entry >= 0 && frames.matches[entry].remembers(part, ofSet: sets.table[set].bit),
        "a known frame replaces one that a match does not remember")
    }
  }

  private func isOwner(_ set: Int, of stored: StoredPayload) -> Bool {
    stored.slot < 0 || sets.payloads.owner(ofSlot: Int(stored.slot)) == set
  }

  private func checkDeadline(of row: Int) {
    guard let due = deadline(of: row) else { return }
    precondition(deadlines.isDue(row, after: Instant(microseconds: .min)), "a match waits for nothing")
    // What is overdue happens at the next input.
    precondition(!deadlines.isDue(row, after: max(due, clock)), "a deadline would come too late")
  }
}
