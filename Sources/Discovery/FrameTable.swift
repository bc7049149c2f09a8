// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// What the `changed` events of one match depend on.
struct MatchFrames: BitwiseCopyable {
  /// The match; -1 while the entry is free.
  var row: Int32 = -1
  var item: Int32 = -1
  /// Whether the device belongs to an accessory.
  var isAccessory = false
  /// When a frame was last noted.
  var noted = Instant(microseconds: 0)
  /// When the last event was sent; at first, when the match took its presence.
  var reported = Instant(microseconds: 0)
  /// The sets whose data and whose response are remembered, by ``AdvertisingSet/bit``.
  private var sets = InlineArray<2, UInt32>(repeating: 0)
  var frames = RememberedFrames()
  /// New frames that wait for the interval to end, oldest first.
  private var waiting = InlineArray<4, Int16>(repeating: -1)
  private(set) var waitingCount = 0
  /// New frames left out since the last event.
  var skipped: UInt32 = 0

  static var waitingMax: Int { 4 }

  func remembers(_ part: PayloadPart, ofSet bit: UInt32) -> Bool { sets[part.rawValue] & bit != 0 }

  mutating func noteRemembered(_ part: PayloadPart, ofSet bit: UInt32) { sets[part.rawValue] |= bit }

  mutating func wait(_ slot: Int16) {
    waiting[waitingCount] = slot
    waitingCount += 1
  }

  /// Takes one of the frames that wait, 0 being the one that has waited longest; nil when fewer wait.
  mutating func takeWaiting(_ position: Int = 0) -> Int16? {
    guard position < waitingCount else { return nil }
    let slot = waiting[position]
    waitingCount -= 1
    for index in position..<waitingCount { waiting[index] = waiting[index + 1] }
    return slot
  }

  func waitingSlot(_ position: Int) -> Int16 { waiting[position] }

  /// Moves every time on.
  mutating func skip(microseconds: Int64) {
    reported = Instant(microseconds: reported.microseconds &+ microseconds)
    noted = Instant(microseconds: noted.microseconds &+ microseconds)
    frames.skip(microseconds: microseconds)
  }
}

/// A new frame that waits to be sent, with the other payload of its set.
struct WaitingFrame: BitwiseCopyable {
  /// The next free slot; -1 at the end.
  var next: Int16 = -1
  var dataByteCount: UInt8 = 0
  var responseByteCount: UInt8 = 0
  /// The ``AdvertisingSet/bit`` of its set.
  var set: UInt32 = 0

  /// Whether its payloads are too long for a copy: they are in the set.
  var isLong: Bool {
    get { dataByteCount == .max }
    set { dataByteCount = newValue ? .max : 0 }
  }
}

/// The payloads of the frames that wait. A copy of this handle reads them while their owner is being changed.
struct WaitingBytes: BitwiseCopyable {
  /// Data and scan response of a legacy advertisement.
  static var stride: Int { 62 }

  let table: FixedTable<UInt8>

  @_lifetime(borrow self)
  func data(of frame: WaitingFrame, at slot: Int16) -> RawSpan {
    table.span(at: Int(slot) * Self.stride, count: Int(frame.dataByteCount))
  }

  @_lifetime(borrow self)
  func response(of frame: WaitingFrame, at slot: Int16) -> RawSpan {
    table.span(at: Int(slot) * Self.stride + Int(frame.dataByteCount), count: Int(frame.responseByteCount))
  }
}

/// The frames of the found matches that have changed since they were found.
///
/// Capacity: 256 matches. Of some the one whose frames were noted least recently gives way, those of accessories last: its
/// next change is compared with the frame before, and it still owes the newest frame that waited; the one that takes its
/// place learns its kinds of frames again. 256 new frames wait, at most
/// four for each match; where there is no room, the oldest of the match with the most is left out, and counted. So each
/// match has room for one. Of payloads that have more than 62 bytes in all only the newest waits, in its set.
struct FrameTable: ~Copyable {
  static var matchesMax: Int { 256 }
  static var waitingMax: Int { 256 }
  /// How many entries are looked at, of which one gives way.
  private static var candidatesMax: Int { 16 }

  let matches: FixedTable<MatchFrames>
  private let waiting: FixedTable<WaitingFrame>
  let bytes: WaitingBytes
  private var firstFree: Int16 = 0
  /// How many entries are taken, and the one that is looked at next when one is to give way.
  private var taken = 0
  private var hand = 0

  init(in arena: inout Arena) {
    matches = arena.table(of: MatchFrames(), count: Self.matchesMax)
    waiting = arena.table(of: WaitingFrame(), count: Self.waitingMax)
    bytes = WaitingBytes(table: arena.table(of: 0, count: Self.waitingMax * WaitingBytes.stride))
    // All are free, the lowest first. The tables of a measuring arena have none.
    for slot in 0..<waiting.count { waiting[slot].next = slot + 1 < waiting.count ? Int16(slot + 1) : -1 }
  }

  /// A free entry, or the one that gives way.
  mutating func entryToClaim() -> Int {
    var oldest = hand
    for step in 0..<(taken < matches.count ? matches.count : Self.candidatesMax) {
      let entry = (hand + step) % matches.count
      if matches[entry].row < 0 { return entry }
      if precedes(entry, oldest) { oldest = entry }
    }
    hand = (hand + Self.candidatesMax) % matches.count
    return oldest
  }

  /// Gives an entry to a match, with nothing in it.
  mutating func assign(_ entry: Int, toRow row: Int) {
    if matches[entry].row < 0 { taken += 1 }
    matches[entry] = MatchFrames()
    matches[entry].row = Int32(row)
  }

  private func precedes(_ entry: Int, _ other: Int) -> Bool {
    if matches[entry].isAccessory != matches[other].isAccessory { return matches[other].isAccessory }
    return matches[entry].noted < matches[other].noted
  }

  /// Frees an entry and the frames that wait for it.
  mutating func free(_ entry: Int) {
    while let slot = matches[entry].takeWaiting() { freeWaiting(slot) }
    if matches[entry].row >= 0 { taken -= 1 }
    matches[entry].row = -1
  }

  /// Lets a new frame wait: `data` and `response` are the payloads of its set, which `bit` names. Returns how many frames
  /// were left out for it; their matches count them.
  mutating func wait(_ data: RawSpan, _ response: RawSpan, ofSet bit: UInt32, for entry: Int) -> UInt32 {
    let isLong = data.byteCount + response.byteCount > WaitingBytes.stride
    var skipped: UInt32 = 0
    for position in (0..<matches[entry].waitingCount).reversed() where isLong {
      let frame = waiting[Int(matches[entry].waitingSlot(position))]
      if frame.isLong, frame.set == bit { skipped += leaveOut(position, of: entry) }
    }
    if matches[entry].waitingCount == MatchFrames.waitingMax { skipped += leaveOut(0, of: entry) }
    if firstFree < 0 { skipped += leaveOut(0, of: entryWithMost(orElse: entry)) }
    let slot = Int(firstFree)
    matches[entry].wait(firstFree)
    firstFree = waiting[slot].next
    waiting[slot].set = bit
    waiting[slot].isLong = isLong
    guard !isLong else { return skipped }
    waiting[slot].dataByteCount = UInt8(truncatingIfNeeded: data.byteCount)
    waiting[slot].responseByteCount = UInt8(truncatingIfNeeded: response.byteCount)
    bytes.table.write(data, at: slot * WaitingBytes.stride)
    bytes.table.write(response, at: slot * WaitingBytes.stride + data.byteCount)
    return skipped
  }

  private mutating func leaveOut(_ position: Int, of entry: Int) -> UInt32 {
    guard let slot = matches[entry].takeWaiting(position) else { return 0 }
    freeWaiting(slot)
    matches[entry].skipped &+= 1
    return 1
  }

  /// The entry for which the most frames wait. When all places are taken, that is one at least.
  private func entryWithMost(orElse entry: Int) -> Int {
    var most = entry
    for other in 0..<matches.count where matches[other].waitingCount > matches[most].waitingCount {
      most = other
    }
    return most
  }

  func frame(ofWaiting slot: Int16) -> WaitingFrame { waiting[Int(slot)] }

  mutating func freeWaiting(_ slot: Int16) {
    waiting[Int(slot)].next = firstFree
    firstFree = slot
  }

  /// Copies all of another table.
  mutating func copy(_ old: borrowing FrameTable) {
    for entry in 0..<matches.count { matches[entry] = old.matches[entry] }
    for slot in 0..<waiting.count { waiting[slot] = old.waiting[slot] }
    bytes.table.write(old.bytes.table.span(at: 0, count: old.bytes.table.count), at: 0)
    (firstFree, taken, hand) = (old.firstFree, old.taken, old.hand)
  }
}
