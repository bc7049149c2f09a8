// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// Which of a found device's frames are `changed` events, and when.

extension Pipeline {
  /// Takes a frame that a set had before, for matches that go on with it. Returns false for one that has to be matched.
  @inline(never)
  mutating func resumeFrame(
    _ payload: RawSpan, _ part: PayloadPart, of set: Int, row: Int, txPower: Int8
  ) -> Bool {
    let entry = Int(sets.table[set].knownFrames)
    guard let place = sets.known.place(of: payload, part, in: entry) else { return false }
    sets.resume(place, in: entry, part, of: set)
    let stated = sets.table[set].statedTxPower
    devices.rows[row].claimedTxPower =
      txPower == ReportHeader.noTxPower ? stated : Device.believableTxPower(txPower, stated)
    devices.rows[row].unkeptMatches = 0
    continueMatches(of: row, with: place, part, of: set)
    return true
  }

  /// Lets a set bear the matches of its known frame and no others, and tells each found match. All of them remember a
  /// frame of this part.
  @inline(__always)
  private mutating func continueMatches(
    of row: Int, with place: Int, _ part: PayloadPart, of set: Int
  ) {
    let bit = sets.table[set].bit
    if sets.known.frames[place].identity == nil { identifyFrame(at: place, part, of: set) }
    guard let identity = sets.known.frames[place].identity else { return }
    let matches = matches.table
    var match = self.matches.index(0, of: row)
    let end = match &+ devices.matchCount(row)
    var bears = sets.known.frames[place].bears
    var isNew = false
    while match < end {
      defer { match &+= 1 }
      let sets = matches[match].sets
      if bears & 1 != 0 {
        matches[match].sets = sets | bit
      } else if sets & bit != 0 {
        matches[match].sets = sets & ~bit
        matches[match].replaced = clock
      }
      bears &>>= 1
      guard matches[match].isFound else { continue }
      let entry = Int(matches[match].frames)
      frames.matches[entry].noted = clock
      if !frames.matches[entry].frames.repeats(identity, at: clock),
        !alternates(identity, entry, item: Int(matches[match].item))
      {
        isNew = true
      }
    }
    if isNew { reportFrame(part, of: set, row: row, known: identity) }
  }

  /// Takes a frame that alternates with another of its kind.
  @inline(never)
  private mutating func alternates(_ identity: FrameIdentity, _ entry: Int, item: Int) -> Bool {
    let isKnown = frames.matches[entry].frames.alternates(
      identity, settlingMilliseconds: Int64(matches.gates[item].settlingMilliseconds), at: clock)
    if isKnown { counters.changesHeldBack &+= 1 }
    return isKnown
  }

  @inline(never)
  private mutating func identifyFrame(at place: Int, _ part: PayloadPart, of set: Int) {
    sets.known.frames[place].identity = identity(part, of: set)
  }

  /// Keeps what is known about a new frame, for when it comes back, if all found matches remember frames of this part of
  /// the set.
  mutating func keepFrame(_ part: PayloadPart, of set: Int, row: Int) {
    let bit = sets.table[set].bit
    var bears: UInt8 = 0
    for slot in 0..<devices.matchCount(row) {
      let match = matches.match(slot, of: row)
      if match.sets & bit != 0 { bears |= 1 << slot }
      guard match.isFound else { continue }
      guard match.frames >= 0, frames.matches[Int(match.frames)].remembers(part, ofSet: bit) else {
        sets.table[set].knownFrames = -1
        return
      }
    }
    sets.keepFrame(part, of: set, bears: bears)
  }

  /// Remembers the frame that is about to be replaced, for each match that has not yet remembered this part of the set:
  /// the next frame is compared with it.
  @inline(never)
  mutating func rememberFrame(_ part: PayloadPart, of set: Int, row: Int) {
    let bit = sets.table[set].bit
    var identity: FrameIdentity?
    for slot in 0..<devices.matchCount(row) where matches.match(slot, of: row).isFound {
      let entry = entry(ofMatch: slot, of: row)
      guard !frames.matches[entry].remembers(part, ofSet: bit) else { continue }
      frames.matches[entry].noteRemembered(part, ofSet: bit)
      identity = identity ?? self.identity(part, of: set)
      if let identity { frames.matches[entry].frames.remember(identity, at: clock) }
    }
  }

  /// The identity of a set's frame, without a look into one that is known to an entry; nil when the set has none.
  ///
  /// It changes nothing: a mutating caller that only borrowed the pipeline would copy all of it.
  private mutating func identity(_ part: PayloadPart, of set: Int, knownTo entry: Int = -1)
    -> FrameIdentity?
  {
    let bytes = sets.payloads.bytes
    let payload = bytes.payload(
      part == .data ? sets.table[set].data : sets.table[set].response, part, of: set)
    let bit = sets.table[set].bit
    guard payload.byteCount > 0 else { return nil }
    if entry >= 0 {
      let content = FrameIdentity.content(payload, part, ofSet: bit)
      if let known = frames.matches[entry].frames.identity(ofContent: content) { return known }
    }
    return FrameIdentity(payload, part, ofSet: bit)
  }

  /// The entry of a found match in the table of frames, which it gets with its first change.
  private mutating func entry(ofMatch slot: Int, of row: Int) -> Int {
    let index = matches.index(slot, of: row)
    if matches.table[index].frames >= 0 { return Int(matches.table[index].frames) }
    let entry = frames.entryToClaim()
    // While matches take each other's entries, the kinds of frames are learned anew every time.
    let isTaken = frames.matches[entry].row >= 0
    release(entry)
    let match = matches.table[index]
    frames.assign(entry, toRow: row)
    frames.matches[entry].item = match.item
    frames.matches[entry].isAccessory = devices.rows[row].isAccessory
    frames.matches[entry].noted = clock
    frames.matches[entry].reported = match.since
    frames.matches[entry].frames = RememberedFrames(found: isTaken ? clock : match.since)
    frames.matches[entry].skipped = match.skipped
    matches.table[index].frames = Int16(entry)
    matches.table[index].skipped = 0
    matches.table[index].owedSet = 0
    if match.owedSet != 0 { waitStored(slot, of: row, setWithBit: match.owedSet) }
    return entry
  }

  /// Frees an entry that another match is to have. The newest frame that waits, or is held back, is sent in time nevertheless.
  private mutating func release(_ entry: Int) {
    let old = frames.matches[entry]
    let row = Int(old.row)
    guard row >= 0,
      let slot = matches.slot(ofItem: Int(old.item), row: row, count: devices.rows[row].matchCount)
    else { return }
    let index = matches.index(slot, of: row)
    let leftOut = UInt32(max(0, old.waitingCount - 1))
    counters.changesSkipped &+= UInt64(leftOut)
    matches.table[index].skipped = old.skipped &+ leftOut
    if old.waitingCount > 0 {
      matches.table[index].owedSet = frames.frame(ofWaiting: old.waitingSlot(old.waitingCount - 1)).set
    } else if old.frames.holdsBack {
      matches.table[index].owedSet = sets.table[Int(devices.rows[row].newestSet)].bit
    }
    matches.table[index].noteEvent(at: old.reported)
    matches.table[index].frames = -1
    frames.free(entry)
    sets.dropKnownFrames(of: devices.rows[row])
    if let due = framesDue(slot, of: row) { deadlines.schedule(row, noLaterThan: due) }
  }

  /// Reports the new frame of a set to each match of its device that was found before, whether or not it matches. `known`
  /// is the identity of the frame, unless it has to be made.
  @inline(never)
  mutating func reportFrame(_ part: PayloadPart, of set: Int, row: Int, known: FrameIdentity? = nil) {
    var identity = known
    var isFirst = true
    var isAtOnce = false
    for slot in 0..<devices.matchCount(row) {
      let match = matches.index(slot, of: row)
      let entry = Int(matches.table[match].frames)
      guard matches.table[match].isFound, entry >= 0 else { continue }
      if isFirst {
        isFirst = false
        if identity == nil { identity = self.identity(part, of: set, knownTo: entry) }
        if let identity, let number = identity.packetNumber,
          frames.matches[entry].frames.identity(ofContent: identity.content) == nil
        {
          isAtOnce = devices.rows[row].packetNumbers.takeNumber(number, at: clock)
        }
      }
      guard let identity else { return }
      let gate = matches.gates[Int(matches.table[match].item)]
      frames.matches[entry].noted = clock
      let novelty = frames.matches[entry].frames.hear(
        identity, isNumbered: isAtOnce, settlingMilliseconds: Int64(gate.settlingMilliseconds),
        heldBack: &counters.changesHeldBack, at: clock)
      switch novelty {
      case .sent: reportChange(slot, of: row, set: set, isAtOnce: isAtOnce)
      case .known: break
      case .leftOut: noteLeftOut(slot, of: row)
      }
      if let due = framesDue(slot, of: row) { deadlines.schedule(row, noLaterThan: due) }
    }
  }

  /// Reports a new frame at once, when the interval is over or the frame is worth an event of its own; else lets it wait.
  @inline(never)
  private mutating func reportChange(_ slot: Int, of row: Int, set: Int, isAtOnce: Bool) {
    let entry = Int(matches.match(slot, of: row).frames)
    let bytes = sets.payloads.bytes
    let data = bytes.payload(sets.table[set].data, .data, of: set)
    let response = bytes.payload(sets.table[set].response, .response, of: set)
    guard isAtOnce || changesDue(slot, of: row) <= clock else {
      counters.changesSkipped &+= UInt64(
        frames.wait(data, response, ofSet: sets.table[set].bit, for: entry))
      return
    }
    sendWaiting(slot, of: row)
    emitChange(slot, of: row, data, response, ofSet: sets.table[set].bit)
  }

  private mutating func emitChange(
    _ slot: Int, of row: Int, _ data: RawSpan, _ response: RawSpan, ofSet bit: UInt32
  ) {
    let match = matches.index(slot, of: row)
    let entry = Int(matches.table[match].frames)
    let skipped: UInt32
    if entry >= 0 {
      noteSent(data, .data, ofSet: bit, by: entry)
      noteSent(response, .response, ofSet: bit, by: entry)
      skipped = frames.matches[entry].skipped
      frames.matches[entry].skipped = 0
      frames.matches[entry].reported = clock
    } else {
      skipped = matches.table[match].skipped
      matches.table[match].skipped = 0
      matches.table[match].noteEvent(at: clock)
    }
    append(.changed, .payload, slot, of: row, skipped: skipped, data, response)
  }

  /// An event has both parts: the one that did not change may have alternated, and was not sent before.
  @inline(__always)
  private mutating func noteSent(_ payload: RawSpan, _ part: PayloadPart, ofSet bit: UInt32, by entry: Int) {
    guard payload.byteCount > 0, frames.matches[entry].frames.holdsUnsent else { return }
    let gate = matches.gates[Int(frames.matches[entry].item)]
    frames.matches[entry].frames.noteSent(
      content: FrameIdentity.content(payload, part, ofSet: bit),
      settlingMilliseconds: Int64(gate.settlingMilliseconds), at: clock)
  }

  private mutating func noteLeftOut(_ slot: Int, of row: Int) {
    let match = matches.index(slot, of: row)
    let entry = Int(matches.table[match].frames)
    if entry >= 0 { frames.matches[entry].skipped &+= 1 } else { matches.table[match].skipped &+= 1 }
    counters.changesSkipped &+= 1
  }

  /// Sends the frames that wait, the oldest first.
  mutating func sendWaiting(_ slot: Int, of row: Int) {
    let entry = Int(matches.match(slot, of: row).frames)
    let bytes = frames.bytes
    while let waiting = frames.matches[entry].takeWaiting() {
      let frame = frames.frame(ofWaiting: waiting)
      frames.freeWaiting(waiting)
      guard frame.isLong else {
        emitChange(
          slot, of: row, bytes.data(of: frame, at: waiting), bytes.response(of: frame, at: waiting),
          ofSet: frame.set)
        continue
      }
      emitStored(slot, of: row, setWithBit: frame.set)
    }
  }

  /// Sends the payloads of a set, or counts them as left out when the set is gone.
  private mutating func emitStored(_ slot: Int, of row: Int, setWithBit bit: UInt32) {
    let set = sets.newestSet(of: devices.rows[row], among: bit)
    guard set >= 0, sets.table[set].bit == bit else { return noteLeftOut(slot, of: row) }
    let bytes = sets.payloads.bytes
    emitChange(
      slot, of: row, bytes.payload(sets.table[set].data, .data, of: set),
      bytes.payload(sets.table[set].response, .response, of: set), ofSet: bit)
  }

  /// Lets the payloads of a set wait, or counts them as left out when the set is gone.
  private mutating func waitStored(_ slot: Int, of row: Int, setWithBit bit: UInt32) {
    let set = sets.newestSet(of: devices.rows[row], among: bit)
    guard set >= 0, sets.table[set].bit == bit else { return noteLeftOut(slot, of: row) }
    let bytes = sets.payloads.bytes
    counters.changesSkipped &+= UInt64(
      frames.wait(
        bytes.payload(sets.table[set].data, .data, of: set),
        bytes.payload(sets.table[set].response, .response, of: set), ofSet: bit,
        for: Int(matches.match(slot, of: row).frames)))
  }

  /// When the next `changed` event of a match may be sent.
  private func changesDue(_ slot: Int, of row: Int) -> Instant {
    let match = matches.match(slot, of: row)
    let reported = match.frames >= 0 ? frames.matches[Int(match.frames)].reported : match.since
    return reported.advanced(milliseconds: Int64(matches.gates[Int(match.item)].changedMilliseconds))
  }

  /// When something is next due for the frames of a match.
  @inline(__always)
  func framesDue(_ slot: Int, of row: Int) -> Instant? {
    let match = matches.match(slot, of: row)
    guard match.frames >= 0 else { return match.owedSet == 0 ? nil : changesDue(slot, of: row) }
    let entry = Int(match.frames)
    let settling = frames.matches[entry].frames.settling
    let soonest = frames.matches[entry].waitingCount > 0 ? min(settling, changesDue(slot, of: row)) : settling
    return soonest.microseconds < .max ? soonest : nil
  }

  /// Handles what is due for the frames of a match.
  mutating func expireFrames(_ slot: Int, of row: Int) {
    let match = matches.match(slot, of: row)
    let entry = Int(match.frames)
    guard entry >= 0 else {
      guard match.owedSet != 0, changesDue(slot, of: row) <= clock else { return }
      matches.table[matches.index(slot, of: row)].owedSet = 0
      return emitStored(slot, of: row, setWithBit: match.owedSet)
    }
    if frames.matches[entry].waitingCount > 0, changesDue(slot, of: row) <= clock {
      sendWaiting(slot, of: row)
    }
    guard frames.matches[entry].frames.settling <= clock else { return }
    let settlingMilliseconds = Int64(matches.gates[Int(match.item)].settlingMilliseconds)
    var set = Int(devices.rows[row].newestSet)
    while set >= 0 {
      for number in 0..<2 {
        let part: PayloadPart = number == 0 ? .data : .response
        guard let identity = identity(part, of: set), frames.matches[entry].frames.isHeldBack(identity),
          frames.matches[entry].frames.hear(
            identity, settlingMilliseconds: settlingMilliseconds, heldBack: &counters.changesHeldBack,
            at: clock) == .sent
        else { continue }
        reportChange(slot, of: row, set: set, isAtOnce: false)
      }
      set = Int(sets.table[set].next)
    }
    frames.matches[entry].frames.postponeSettling(settlingMilliseconds, at: clock)
  }

  /// Forgets the frames of a match that is lost. Returns how many new ones were left out.
  mutating func forgetFrames(_ index: Int) -> UInt32 {
    let match = matches.table[index]
    let entry = Int(match.frames)
    let waiting = entry >= 0 ? frames.matches[entry].waitingCount : match.owedSet == 0 ? 0 : 1
    let skipped = entry >= 0 ? frames.matches[entry].skipped : match.skipped
    counters.changesSkipped &+= UInt64(waiting)
    if entry >= 0 { frames.free(entry) }
    matches.table[index].frames = -1
    matches.table[index].skipped = 0
    matches.table[index].owedSet = 0
    return skipped &+ UInt32(waiting)
  }
}
