// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// A frame that a set sent before, and everything that its payload says.
struct KnownFrame: BitwiseCopyable {
  var evaluation = Evaluation()
  var byteCount: UInt8 = 0
  var statedTxPower = ReportHeader.noTxPower
  /// The matches of the row that the frame bears, a bit for each slot.
  var bears: UInt8 = 0
  /// Made when the frame comes back for the first time.
  var identity: FrameIdentity?
}

/// The frames of one part of a set, while the other part stays as it is.
struct KnownFrames: BitwiseCopyable {
  /// The set, which refers to the entry as long as both belong together.
  var set: Int32 = -1
  var part = PayloadPart.data
  var count: UInt8 = 0
  /// The frame that the set has now.
  var current: UInt8 = 0
  /// The frames that came back since the hand last passed or all had, a bit for each.
  var useful: UInt8 = 0
}

/// The frames that the sets of matching devices alternate: one that comes back is not parsed and matched again.
///
/// An entry is dropped when the other payload of its set changes, when the payload is to be matched again, and when a match
/// of the row begins, is found, or ends: every found match remembers frames of the part.
///
/// Capacity: 128 sets with four frames each, inline ones. Of a set a frame gives way that has not come back for long; of
/// the sets one none of whose frames has come back for long. What is not there is parsed and matched.
struct KnownFrameTable: ~Copyable {
  private static var setsMax: Int { 128 }
  private static var framesMax: Int { 4 }

  private let entries: FixedTable<KnownFrames>
  /// Four for each entry.
  let frames: FixedTable<KnownFrame>
  private let bytes: FixedTable<UInt8>
  /// The entry that is looked at next when one is to give way.
  private var hand = 0

  init(in arena: inout Arena) {
    entries = arena.table(of: KnownFrames(), count: Self.setsMax)
    frames = arena.table(of: KnownFrame(), count: Self.setsMax * Self.framesMax)
    bytes = arena.table(of: 0, count: Self.setsMax * Self.framesMax * PayloadBytes.inlineStride)
  }

  func part(of entry: Int) -> PayloadPart { entries[entry].part }

  /// Whether a payload is that of the entry's current frame.
  func isCurrent(_ payload: RawSpan, in entry: Int) -> Bool {
    isFrame(payload, at: entry * Self.framesMax + Int(entries[entry].current))
  }

  /// The place of a frame that is not the current one of its set; nil when it is not there.
  @inline(__always)
  mutating func place(of payload: RawSpan, _ part: PayloadPart, in entry: Int) -> Int? {
    guard entries[entry].part == part else { return nil }
    let count = Int(entries[entry].count)
    // Most sets send their frames in turn.
    let next = Int(entries[entry].current) &+ 1
    let place = entry &* Self.framesMax &+ (next == count ? 0 : next)
    if count > 1, isFrame(payload, at: place) { return place }
    return count > 2 ? otherPlace(of: payload, in: entry, after: place) : nil
  }

  @inline(never)
  private mutating func otherPlace(of payload: RawSpan, in entry: Int, after next: Int) -> Int? {
    for slot in 0..<Int(entries[entry].count) where slot != Int(entries[entry].current) {
      let place = entry * Self.framesMax + slot
      if place != next, isFrame(payload, at: place) { return place }
    }
    return nil
  }

  @inline(__always)
  private func isFrame(_ payload: RawSpan, at place: Int) -> Bool {
    Int(frames[place].byteCount) == payload.byteCount
      && bytes.span(at: place &* PayloadBytes.inlineStride, count: payload.byteCount).equals(payload)
  }

  /// Makes the frame at a place of an entry the current one of its set.
  @inline(__always)
  func resume(_ place: Int, in entry: Int) {
    let slot = UInt8(truncatingIfNeeded: place & (Self.framesMax &- 1))
    entries[entry].current = slot
    entries[entry].useful |= 1 &<< slot
  }

  /// Keeps the current frame of a set, which is not there yet. Returns the entry.
  mutating func keep(
    _ frame: KnownFrame, _ payload: RawSpan, _ part: PayloadPart, of set: Int,
    among sets: FixedTable<AdvertisingSet>
  ) -> Int {
    var entry = Int(sets[set].knownFrames)
    if entry < 0 { entry = claimEntry(for: set, among: sets) }
    if entries[entry].part != part {
      entries[entry].part = part
      entries[entry].count = 0
      entries[entry].useful = 0
    }
    let slot = slotToFill(of: entry)
    let place = entry * Self.framesMax + slot
    entries[entry].current = UInt8(slot)
    frames[place] = frame
    bytes.write(payload, at: place * PayloadBytes.inlineStride)
    return entry
  }

  private func slotToFill(of entry: Int) -> Int {
    let count = Int(entries[entry].count)
    guard count == Self.framesMax else {
      entries[entry].count += 1
      return count
    }
    let current = Int(entries[entry].current)
    for slot in 0..<count where slot != current && entries[entry].useful >> slot & 1 == 0 {
      return slot
    }
    entries[entry].useful = 0
    return (current + 1) % count
  }

  private mutating func claimEntry(for set: Int, among sets: FixedTable<AdvertisingSet>) -> Int {
    while entries[hand].useful != 0 {
      entries[hand].useful = 0
      hand = (hand + 1) % Self.setsMax
    }
    let entry = hand
    hand = (hand + 1) % Self.setsMax
    let owner = Int(entries[entry].set)
    if owner >= 0, Int(sets[owner].knownFrames) == entry { sets[owner].knownFrames = -1 }
    entries[entry] = KnownFrames(set: Int32(set))
    return entry
  }

  /// Copies the bytes of the frame at a place.
  @inline(__always)
  func copyBytes(of place: Int, to table: FixedTable<UInt8>, at offset: Int) {
    table.write(
      bytes.span(at: place &* PayloadBytes.inlineStride, count: PayloadBytes.inlineStride), at: offset)
  }
}
