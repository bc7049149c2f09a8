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
      guard row < devices.rows.count else {
        deadlines.remove(row)
        clock = max(clock, due)
        chooseStrongest()
        continue
      }
      guard let exact = deadline(of: row) else {
        deadlines.remove(row)
        continue
      }
      guard exact <= due else {
        deadlines.postponeFirst(to: exact)
        devices.rows[row].isDeadlineEarly = false
        continue
      }
      clock = max(clock, due)
      expire(row)
    }
  }

  /// Brings a row's deadline forward when its learned interval or its rhythm has become shorter, and with it every
  /// silence: what is due before the shortest that each can be is not late. Returns whether that is so already.
  @inline(__always)
  mutating func advanceDeadline(of row: Int) -> Bool {
    let bit = sets.table[Int(devices.rows[row].newestSet)].bit
    var soonest = Instant(microseconds: .max)
    for slot in 0..<devices.matchCount(row) {
      let match = matches.match(slot, of: row)
      let gate = matches.gates[Int(match.item)]
      let silence =
        gate.isImmediate
        ? Int64(gate.silenceMilliseconds) : devices.rows[row].patienceByRhythm(gate)
      // The newest set was heard just now. Other sets may bear the match longer than the one that was replaced last.
      let last = match.sets & bit != 0 ? clock : match.replaced
      soonest = min(soonest, last.advanced(milliseconds: silence))
    }
    guard deadlines.isDue(row, after: soonest) else { return true }
    rescheduleDeadline(of: row)
    return false
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
    var soonest = matchEnd(of: match, row: row, gate: gate)
    if let framesDue = framesDue(slot, of: row) { soonest = min(soonest, framesDue) }
    if gate.isImmediate, match.isFound {
      soonest = min(soonest, Gate.silenceEnd(devices.rows[row].signal, gate))
    }
    if case .leaving = match.presence {
      soonest = min(soonest, match.since.advanced(milliseconds: Int64(gate.leaveDwellMilliseconds)))
    }
    return soonest
  }

  /// When none of the device's frames will have matched for the item's silence time.
  private func matchEnd(of match: Match, row: Int, gate: GateSettings) -> Instant {
    lastMatched(match, row: row).advanced(milliseconds: silence(of: row, gate))
  }

  /// When the device last had a payload that matches.
  func lastMatched(_ match: Match, row: Int) -> Instant {
    var last = match.replaced
    var set = Int(devices.rows[row].newestSet)
    while set >= 0 {
      if sets.table[set].bit & match.sets != 0 { last = max(last, sets.table[set].lastSeen) }
      set = Int(sets.table[set].next)
    }
    return last
  }

  /// The silence time of an item for a device, in milliseconds.
  func silence(of row: Int, _ gate: GateSettings) -> Int64 {
    guard gate.isImmediate else {
      return devices.rows[row].acquainted(since: listeningSince).patience(gate)
    }
    return devices.rows[row].signal.patience(
      floor: gate.silenceMilliseconds, factor: Int64(gate.patienceFactor),
      ceiling: gate.silenceMillisecondsMax)
  }

  /// Handles the deadlines of a row that are due.
  private mutating func expire(_ row: Int) {
    for slot in (0..<devices.matchCount(row)).reversed() { expire(slot, of: row) }
  }

  private mutating func expire(_ slot: Int, of row: Int) {
    let index = matches.index(slot, of: row)
    let gate = matches.gates[Int(matches.table[index].item)]
    expireFrames(slot, of: row)
    if case .leaving = matches.table[index].presence,
      clock.milliseconds(since: matches.table[index].since) >= Int64(gate.leaveDwellMilliseconds)
    {
      lose(slot, of: row, reason: .left)
      // Whether the device comes near again is judged by the levels since it left.
      devices.rows[row].levels = LevelHistory(appeared: devices.rows[row].levels.appeared)
    }
    if gate.isImmediate, matches.table[index].isFound,
      Gate.silenceEnd(devices.rows[row].signal, gate) <= clock
    {
      lose(slot, of: row, reason: .silence)
    }
    guard matchEnd(of: matches.table[index], row: row, gate: gate) <= clock else { return }
    let isSilent = lastMatched(matches.table[index], row: row) >= devices.rows[row].lastSeen
    sets.markUnevaluated(matches.table[index].sets, of: devices.rows[row])
    drop(match: slot, of: row, reason: isSilent ? .silence : .noLongerMatches)
  }

  /// Handles the loss of the radio: everything found is lost, and devices that come back are found again.
  public mutating func loseRadio(at time: Instant) {
    advance(to: time)
    listeningSince = clock
    awaitsChoice = true
    deadlines.remove(devices.rows.count)
    for row in 0..<devices.rows.count where devices.rows[row].isLive {
      for slot in (0..<devices.matchCount(row)).reversed() {
        drop(match: slot, of: row, reason: .radioDown)
      }
      deadlines.remove(row)
      sets.markUnevaluated(.max, of: devices.rows[row])
      devices.rows[row].signal.resetFilter()
      devices.rows[row].levels = LevelHistory(appeared: clock)
    }
  }
}
