// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

// What is told of a row's matches, and when something is due.

extension Pipeline {
  mutating func emit(_ event: SightingEvent, _ reason: SightingReason, _ place: Int, of row: Int) {
    let index = matchIndex(place, of: row)
    switch event {
    case .found: tally.found &+= 1
    case .changed: tally.changed &+= 1
    case .lost: tally.lost &+= 1
    }
    matches[index].reported = clock
    matches[index].changeIsPending = false
    let sighting = sighting(event, reason, matches[index], devices[row])
    let set = reportedSet(of: row, bits: matches[index].sets)
    let octets = payloads.bytes
    events.append(
      sighting, payload: octets.payload(sets[set].data, .data, of: set),
      octets.payload(sets[set].response, .response, of: set))
  }

  private func sighting(
    _ event: SightingEvent, _ reason: SightingReason, _ match: Match, _ device: Device
  ) -> Sighting {
    let level = device.signal.filteredRSSI
    return Sighting(
      time: clock, event: event, reason: reason, item: match.item, address: publicAddress(of: device),
      rssi: device.rssi >= -127 && device.rssi <= 20 ? device.rssi : nil, filteredRSSI: level,
      pathLoss: pathLoss(of: device, item: Int(match.item)), samples: device.signal.readingCount)
  }

  /// dB between the item's or the claimed transmit power and the filtered level.
  func pathLoss(of device: Device, item: Int) -> Int16? {
    guard let level = device.signal.filteredRSSI else { return nil }
    if let power = gates[item].txPower { return Int16(power) - Int16(level) }
    guard device.claimedTxPower != ReportHeader.noTxPower else { return nil }
    return Int16(device.claimedTxPower) - Int16(level)
  }

  /// The set whose payload stands for a match: the one heard last among those that match.
  private func reportedSet(of row: Int, bits: UInt32) -> Int {
    var set = Int(devices[row].newestSet)
    while sets[set].bit & bits == 0, sets[set].next >= 0 { set = Int(sets[set].next) }
    return set
  }

  /// Reports a changed payload for every item found by it, at once or when the second is over.
  mutating func noteChange(of row: Int, set: Int) {
    for place in 0..<Int(devices[row].matchCount) {
      let index = matchIndex(place, of: row)
      guard matches[index].isFound, matches[index].sets & sets[set].bit != 0 else { continue }
      if matches[index].changeIsPending {
        tally.changesCoalesced &+= 1
      } else if clock.milliseconds(since: matches[index].reported) >= changeMilliseconds {
        emit(.changed, .payload, place, of: row)
      } else {
        matches[index].changeIsPending = true
        deadlines.bring(
          row, forwardTo: matches[index].reported.advanced(milliseconds: changeMilliseconds))
      }
    }
  }

  /// Lets time pass: whatever is due up to `time` happens, each at its own time.
  @inline(__always)
  public mutating func advance(to time: Instant) {
    if deadlines.soonest <= time { runDeadlines(until: time) }
    if time >= clock { clock = time } else { tally.timesClamped &+= 1 }
  }

  @inline(never)
  private mutating func runDeadlines(until time: Instant) {
    while let (due, row) = deadlines.first, due <= time {
      guard let exact = deadline(of: row) else {
        deadlines.remove(row)
        continue
      }
      guard exact <= due else {
        deadlines.postponeFirst(to: exact)
        continue
      }
      clock = max(clock, due)
      expire(row)
    }
  }

  /// Brings a row's deadline forward when its learned interval has become shorter, and with it every silence.
  ///
  /// What is due within the shortest silence of any item cannot be late: the set was heard just now. Other sets of
  /// the same device were not.
  @inline(__always)
  mutating func hasten(_ row: Int, set: Int) {
    let horizon = clock.advanced(milliseconds: patienceMillisecondsMin)
    if sets[set].next >= 0 || deadlines.isDue(row, after: horizon) { hasten(row) }
  }

  @inline(never)
  private mutating func hasten(_ row: Int) {
    if let due = deadline(of: row) { deadlines.bring(row, forwardTo: due) }
  }

  /// When something is next due for a row; nil without matches.
  func deadline(of row: Int) -> Instant? {
    var soonest: Instant?
    for place in 0..<Int(devices[row].matchCount) {
      let due = deadline(ofMatch: place, of: row)
      if soonest.map({ due < $0 }) ?? true { soonest = due }
    }
    return soonest
  }

  func deadline(ofMatch place: Int, of row: Int) -> Instant {
    let match = match(place, of: row)
    let gate = gates[Int(match.item)]
    var soonest = silenceEnd(of: match, row: row, gate: gate)
    if match.changeIsPending {
      soonest = min(soonest, match.reported.advanced(milliseconds: changeMilliseconds))
    }
    if gate.isImmediate, match.isFound {
      soonest = min(soonest, Gate.silenceEnd(devices[row].signal, gate))
    }
    if match.presence == .leaving {
      soonest = min(soonest, match.since.advanced(milliseconds: Int64(gate.leaveDwellMilliseconds)))
    }
    return soonest
  }

  /// When the first of the sets that bear a match will have been silent for too long.
  private func silenceEnd(of match: Match, row: Int, gate: GateSettings) -> Instant {
    var soonest = Instant(microseconds: .max)
    let patience = lostPatience(of: row, gate)
    var set = Int(devices[row].newestSet)
    while set >= 0 {
      if sets[set].bit & match.sets != 0 {
        soonest = min(soonest, sets[set].lastSeen.advanced(milliseconds: patience))
      }
      set = Int(sets[set].next)
    }
    return soonest
  }

  /// How long a set may be silent before it bears a match no more. An immediate item that is inside is lost by its own
  /// silence, never sooner by this one.
  func lostPatience(of row: Int, _ gate: GateSettings) -> Int64 {
    let signal = devices[row].signal
    let factor = Int64(gate.patienceFactor)
    let lost = signal.patience(
      floor: gate.lostMilliseconds, factor: factor, ceiling: gate.lostMillisecondsMax)
    guard gate.isImmediate else { return lost }
    let silence = signal.patience(
      floor: gate.silenceMilliseconds, factor: factor, ceiling: gate.silenceMillisecondsMax)
    return max(lost, silence)
  }

  /// Does what is due for a row now.
  private mutating func expire(_ row: Int) {
    for place in (0..<Int(devices[row].matchCount)).reversed() { expire(place, of: row) }
  }

  private mutating func expire(_ place: Int, of row: Int) {
    let index = matchIndex(place, of: row)
    let gate = gates[Int(matches[index].item)]
    if matches[index].changeIsPending,
      clock.milliseconds(since: matches[index].reported) >= changeMilliseconds
    {
      emit(.changed, .payload, place, of: row)
    }
    if matches[index].presence == .leaving,
      clock.milliseconds(since: matches[index].since) >= Int64(gate.leaveDwellMilliseconds)
    {
      lose(place, of: row, reason: .left)
    }
    if gate.isImmediate, matches[index].isFound, Gate.silenceEnd(devices[row].signal, gate) <= clock {
      lose(place, of: row, reason: .silence)
    }
    expireSets(ofMatch: place, of: row, gate: gate)
  }

  private mutating func expireSets(ofMatch place: Int, of row: Int, gate: GateSettings) {
    let patience = lostPatience(of: row, gate)
    var set = Int(devices[row].newestSet)
    while set >= 0 {
      let next = Int(sets[set].next)
      let bits = match(place, of: row).sets
      if sets[set].bit & bits != 0, sets[set].lastSeen.advanced(milliseconds: patience) <= clock {
        sets[set].isEvaluated = false
        let isLast = bits == sets[set].bit
        withdraw(set, fromMatch: place, of: row, reason: .silence)
        if isLast { return }
      }
      set = next
    }
  }

  /// Says that the radio is gone: everything found is lost, and what comes back is found anew.
  public mutating func loseRadio(at time: Instant) {
    advance(to: time)
    for row in 0..<devices.count where devices[row].isLive {
      for place in (0..<Int(devices[row].matchCount)).reversed() {
        drop(match: place, of: row, reason: .radioDown)
      }
      deadlines.remove(row)
      markUnevaluated(.max, of: row)
      devices[row].signal.resetFilter()
    }
  }
}
