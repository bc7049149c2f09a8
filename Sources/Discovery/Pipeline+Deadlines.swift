// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

// What happens when time passes or the radio goes away, without a packet.

extension Pipeline {
  /// Lets time pass: whatever is due up to `time` happens, each at its own time.
  @inline(__always)
  public mutating func advance(to time: Instant) {
    if deadlines.soonest <= time { runDeadlines(until: time) }
    if time >= clock { clock = time } else { counters.timesClamped &+= 1 }
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
  mutating func advanceDeadline(of row: Int) {
    let horizon = clock.advanced(milliseconds: matches.shortestSilenceMilliseconds)
    let set = Int(devices.rows[row].newestSet)
    if sets.table[set].next >= 0 || deadlines.isDue(row, after: horizon) { rescheduleDeadline(of: row) }
  }

  @inline(never)
  private mutating func rescheduleDeadline(of row: Int) {
    if let due = deadline(of: row) { deadlines.schedule(row, noLaterThan: due) }
  }

  /// When something is next due for a row; nil without matches.
  func deadline(of row: Int) -> Instant? {
    var soonest: Instant?
    for slot in 0..<devices.matchCount(row) {
      let due = deadline(ofMatch: slot, of: row)
      if soonest.map({ due < $0 }) ?? true { soonest = due }
    }
    return soonest
  }

  func deadline(ofMatch slot: Int, of row: Int) -> Instant {
    let match = matches.match(slot, of: row)
    let gate = matches.gates[Int(match.item)]
    var soonest = silenceEnd(of: match, row: row, gate: gate)
    if match.changeIsPending {
      soonest = min(soonest, match.reported.advanced(milliseconds: changeMilliseconds))
    }
    if gate.isImmediate, match.isFound {
      soonest = min(soonest, Gate.silenceEnd(devices.rows[row].signal, gate))
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
    var set = Int(devices.rows[row].newestSet)
    while set >= 0 {
      if sets.table[set].bit & match.sets != 0 {
        soonest = min(soonest, sets.table[set].lastSeen.advanced(milliseconds: patience))
      }
      set = Int(sets.table[set].next)
    }
    return soonest
  }

  /// How long a set may be silent before it bears a match no more. An immediate item that is inside is lost by its own
  /// silence, never sooner by this one.
  func lostPatience(of row: Int, _ gate: GateSettings) -> Int64 {
    let signal = devices.rows[row].signal
    let factor = Int64(gate.patienceFactor)
    let lost = signal.patience(
      floor: gate.lostMilliseconds, factor: factor, ceiling: gate.lostMillisecondsMax)
    guard gate.isImmediate else { return lost }
    let silence = signal.patience(
      floor: gate.silenceMilliseconds, factor: factor, ceiling: gate.silenceMillisecondsMax)
    return max(lost, silence)
  }

  /// Handles the deadlines of a row that are due.
  private mutating func expire(_ row: Int) {
    for slot in (0..<devices.matchCount(row)).reversed() { expire(slot, of: row) }
  }

  private mutating func expire(_ slot: Int, of row: Int) {
    let index = matches.index(slot, of: row)
    let gate = matches.gates[Int(matches.table[index].item)]
    if matches.table[index].changeIsPending,
      clock.milliseconds(since: matches.table[index].reported) >= changeMilliseconds
    {
      emit(.changed, .payload, slot, of: row)
    }
    if matches.table[index].presence == .leaving,
      clock.milliseconds(since: matches.table[index].since) >= Int64(gate.leaveDwellMilliseconds)
    {
      lose(slot, of: row, reason: .left)
    }
    if gate.isImmediate, matches.table[index].isFound,
      Gate.silenceEnd(devices.rows[row].signal, gate) <= clock
    {
      lose(slot, of: row, reason: .silence)
    }
    expireSets(ofMatch: slot, of: row, gate: gate)
  }

  private mutating func expireSets(ofMatch slot: Int, of row: Int, gate: GateSettings) {
    let patience = lostPatience(of: row, gate)
    var set = Int(devices.rows[row].newestSet)
    while set >= 0 {
      let next = Int(sets.table[set].next)
      let bits = matches.match(slot, of: row).sets
      if sets.table[set].bit & bits != 0, sets.table[set].lastSeen.advanced(milliseconds: patience) <= clock {
        sets.table[set].isEvaluated = false
        let isLast = bits == sets.table[set].bit
        withdraw(set, fromMatch: slot, of: row, reason: .silence)
        if isLast { return }
      }
      set = next
    }
  }

  /// Handles the loss of the radio: everything found is lost, and devices that come back are found again.
  public mutating func loseRadio(at time: Instant) {
    advance(to: time)
    for row in 0..<devices.rows.count where devices.rows[row].isLive {
      for slot in (0..<devices.matchCount(row)).reversed() {
        drop(match: slot, of: row, reason: .radioDown)
      }
      deadlines.remove(row)
      sets.markUnevaluated(.max, of: devices.rows[row])
      devices.rows[row].signal.resetFilter()
    }
  }
}
