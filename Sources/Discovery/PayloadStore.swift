// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Which of a set's two payloads.
enum PayloadPart: Int, BitwiseCopyable { case data, response }

/// Where a payload lies: up to 31 bytes inline, longer ones in a slot of the pool.
struct StoredPayload: BitwiseCopyable {
  var byteCount: UInt16 = 0
  /// The length of a payload that lies inline, and whose repetition says nothing but a level; else -1.
  private(set) var quietByteCount: Int16 = -1
  var slot: Int32 = -1

  init() {}

  /// A payload that lies inline, and about which everything is known.
  @inline(__always)
  init(quiet byteCount: UInt8) {
    self.byteCount = UInt16(byteCount)
    quietByteCount = Int16(byteCount)
  }

  mutating func setQuiet(_ isQuiet: Bool) {
    quietByteCount = isQuiet && slot < 0 ? Int16(truncatingIfNeeded: byteCount) : -1
  }
}

/// The bytes of all payloads. A copy of this handle reads them while their owner is being changed.
struct PayloadBytes: BitwiseCopyable {
  static var inlineStride: Int { 32 }
  static var slotBytes: Int { ReportAssembler.payloadBytesMax }

  let inline: FixedTable<UInt8>
  let pool: FixedTable<UInt8>

  @inline(__always)
  static func inlineOffset(_ part: PayloadPart, of set: Int) -> Int {
    (2 &* set &+ part.rawValue) &* inlineStride
  }

  @inline(__always)
  @_lifetime(borrow self)
  func payload(_ stored: StoredPayload, _ part: PayloadPart, of set: Int) -> RawSpan {
    guard stored.slot < 0 else {
      return pool.span(at: Int(stored.slot) &* Self.slotBytes, count: Int(stored.byteCount))
    }
    return inlinePayload(part, of: set, byteCount: Int(stored.byteCount))
  }

  @inline(__always)
  @_lifetime(borrow self)
  func inlinePayload(_ part: PayloadPart, of set: Int, byteCount: Int) -> RawSpan {
    inline.span(at: Self.inlineOffset(part, of: set), count: byteCount)
  }
}

/// The payloads of all advertising sets.
///
/// Capacity: 32 bytes inline for each set's data and response, and a pool of slots of 1,650 bytes for payloads
/// over 31. When the pool is full the caller frees an unknown device's slot or goes without.
struct PayloadStore: ~Copyable {
  static var inlineBytesMax: Int { 31 }
  let bytes: PayloadBytes
  /// The set that owns each slot, or -1.
  private let owners: FixedTable<Int32>
  private var freeCount: Int

  init(sets: Int, longPayloads: Int, in arena: inout Arena) {
    bytes = PayloadBytes(
      inline: arena.table(of: 0, count: sets * 2 * PayloadBytes.inlineStride),
      pool: arena.table(of: 0, count: longPayloads * PayloadBytes.slotBytes))
    owners = arena.table(of: -1, count: longPayloads)
    freeCount = longPayloads
  }

  /// Whether storing a payload of this length over `stored` needs a slot that is not there.
  @inline(__always)
  func needsSlot(for byteCount: Int, over stored: StoredPayload) -> Bool {
    byteCount > Self.inlineBytesMax && stored.slot < 0 && freeCount == 0
  }

  var slotCount: Int { owners.count }
  var usedSlotCount: Int { owners.count &- freeCount }

  func owner(ofSlot slot: Int) -> Int? { owners[slot] < 0 ? nil : Int(owners[slot]) }

  /// Stores a payload in place of `stored`. The caller has made sure of a slot.
  mutating func replace(_ stored: inout StoredPayload, _ part: PayloadPart, of set: Int, with source: RawSpan)
  {
    precondition(source.byteCount <= PayloadBytes.slotBytes)
    if source.byteCount > Self.inlineBytesMax {
      if stored.slot < 0 { stored.slot = claimSlot(for: set) }
      bytes.pool.write(source, at: Int(stored.slot) &* PayloadBytes.slotBytes)
    } else {
      release(&stored)
      bytes.inline.write(source, at: PayloadBytes.inlineOffset(part, of: set))
    }
    stored.byteCount = UInt16(truncatingIfNeeded: source.byteCount)
  }

  /// Forgets a payload and frees its slot.
  mutating func release(_ stored: inout StoredPayload) {
    if stored.slot >= 0 {
      owners[Int(stored.slot)] = -1
      freeCount &+= 1
    }
    stored = StoredPayload()
  }

  /// Gives a free slot to a set.
  mutating func claim(slot: Int, for set: Int) {
    owners[slot] = Int32(set)
    freeCount &-= 1
  }

  private mutating func claimSlot(for set: Int) -> Int32 {
    for slot in 0..<owners.count where owners[slot] < 0 {
      claim(slot: slot, for: set)
      return Int32(slot)
    }
    preconditionFailure("a slot was claimed while none was free")
  }
}
