// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// One advertising set of a device: its latest advertising data and its latest scan response.
struct AdvertisingSet: BitwiseCopyable {
  /// 0...15, or ``ReportHeader/noAdvertisingSID``.
  var advertisingSID: UInt8 = ReportHeader.noAdvertisingSID
  /// The entry of the ``KnownFrameTable``; -1 without.
  var knownFrames: Int16 = -1
  /// The device's next set, or the next free one; -1 at the end.
  var next: Int32 = -1
  /// The device; means nothing while the set is free.
  var row: Int32 = -1
  var lastSeen = Instant(microseconds: 0)
  var data = StoredPayload()
  var response = StoredPayload()
  /// The matches of this payload are known; an unchanged payload need not be parsed.
  var isEvaluated = false {
    didSet {
      if !isEvaluated { knownFrames = -1 }
      awaitsPlace = false
      statedTxPower = Device.believableTxPower(
        ReportHeader.noTxPower, evaluation.txPower ?? ReportHeader.noTxPower)
      data.setQuiet(isEvaluated && !evaluation.isMalformed)
      response.setQuiet(isEvaluated && !evaluation.isMalformed)
    }
  }
  /// Though it is not evaluated for the next report, its evaluation holds: a full item turned the device away.
  var awaitsPlace = false
  /// The transmit power that a report claims by repeating this payload.
  private(set) var statedTxPower = ReportHeader.noTxPower
  /// Losses of the payload, counted again with each report that repeats it.
  var evaluation = Evaluation()

  /// Whether the last advertisement invited connections.
  private(set) var isConnectable = false

  /// Takes what a report says beside its payload.
  @inline(__always)
  mutating func hear(_ report: HeardReport, at now: Instant) {
    lastSeen = now
    if !report.isResponse { isConnectable = report.isConnectable }
  }

  /// Whether a report repeats what it should: the same bytes, inline, about which everything is known, their
  /// transmit power being the one that is `claimed`.
  @inline(__always)
  mutating func repeats(
    _ payload: RawSpan, _ report: HeardReport, claimed: Int8, of set: Int, in bytes: PayloadBytes,
    at now: Instant
  ) -> Bool {
    let isResponse = report.isResponse
    let stored = isResponse ? response : data
    let part: PayloadPart = isResponse ? .response : .data
    guard payload.byteCount == Int(stored.quietByteCount), claimed == statedTxPower,
      bytes.inlinePayload(part, of: set, byteCount: payload.byteCount).equals(payload)
    else { return false }
    hear(report, at: now)
    return true
  }

  /// Takes back a frame that everything is known about.
  @inline(__always)
  mutating func resume(_ part: PayloadPart, _ frame: KnownFrame) {
    evaluation = frame.evaluation
    statedTxPower = frame.statedTxPower
    switch part {
    case .data: data = StoredPayload(quiet: frame.byteCount)
    case .response: response = StoredPayload(quiet: frame.byteCount)
    }
  }

  /// The set's bit in ``Match/sets``: 0...15 by SID, 16 for the set without one.
  @inline(__always)
  var bit: UInt32 { 1 &<< UInt32(min(advertisingSID, 16)) }
}

/// The advertising sets of all devices and their payloads. The sets of a device are a chain, the one heard last first;
/// its head is ``Device/newestSet``.
///
/// Capacity: fixed at start. When all sets are in use, the caller frees one, of an unknown device or the device's own.
struct AdvertisingSetTable: ~Copyable {
  let table: FixedTable<AdvertisingSet>
  /// The first of the free sets, which are a chain too; -1 at its end.
  var firstFree: Int32
  var payloads: PayloadStore
  var known: KnownFrameTable

  init(capacity: Int, longPayloads: Int, in arena: inout Arena) {
    table = arena.table(of: AdvertisingSet(), count: capacity)
    payloads = PayloadStore(sets: capacity, longPayloads: longPayloads, in: &arena)
    known = KnownFrameTable(in: &arena)
    // All sets are free, the lowest first. The tables of a measuring arena have none.
    for set in 0..<table.count { table[set].next = set + 1 < table.count ? Int32(set + 1) : -1 }
    firstFree = table.count > 0 ? 0 : -1
  }

  var hasFreeSet: Bool { firstFree >= 0 }

  var freeCount: Int { count(from: firstFree) }

  /// How many sets a chain has from one of them on.
  func count(from first: Int32) -> Int {
    var count = 0
    var set = Int(first)
    while set >= 0 {
      count += 1
      set = Int(table[set].next)
    }
    return count
  }

  // MARK: Chains

  mutating func claimFreeSet() -> Int {
    let set = Int(firstFree)
    firstFree = table[set].next
    return set
  }

  /// Frees a set that is in no chain, with its payloads.
  mutating func free(_ set: Int) {
    releasePayloads(of: set)
    table[set] = AdvertisingSet(next: firstFree)
    firstFree = Int32(set)
  }

  /// Frees all sets of a device.
  mutating func freeSets(of device: inout Device) {
    while device.newestSet >= 0 {
      let set = Int(device.newestSet)
      device.newestSet = table[set].next
      free(set)
    }
  }

  /// Makes a set that is in no chain the newest of the device in a row.
  func insert(_ set: Int, intoRow row: Int, of device: inout Device, at now: Instant) {
    table[set].next = device.newestSet
    table[set].lastSeen = now
    table[set].row = Int32(row)
    device.newestSet = Int32(set)
  }

  /// Takes the set with an Advertising SID out of a device's chain, if it has one.
  func detachSet(withSID advertisingSID: UInt8, from device: inout Device) -> Int? {
    var previous = -1
    var set = Int(device.newestSet)
    while set >= 0 {
      if table[set].advertisingSID == advertisingSID {
        detach(set, after: previous, from: &device)
        return set
      }
      previous = set
      set = Int(table[set].next)
    }
    return nil
  }

  /// Takes a set out of a device's chain; `previous` is the set in front of it, or -1.
  func detach(_ set: Int, after previous: Int, from device: inout Device) {
    if previous < 0 { device.newestSet = table[set].next } else { table[previous].next = table[set].next }
  }

  /// The set of a device that was heard least recently, and the one in front of it or -1; the device has a set.
  func oldestSet(of device: Device) -> (set: Int, previous: Int) {
    var previous = -1
    var set = Int(device.newestSet)
    while table[set].next >= 0 {
      previous = set
      set = Int(table[set].next)
    }
    return (set, previous)
  }

  /// The set heard last among those of a device with one of these bits; without bits, the one heard last of all.
  func newestSet(of device: Device, among bits: UInt32) -> Int {
    var set = Int(device.newestSet)
    guard bits != 0 else { return set }
    while table[set].bit & bits == 0, table[set].next >= 0 { set = Int(table[set].next) }
    return set
  }

  /// Lets the next report of a device's sets with these bits be matched again although its payload is known.
  func markUnevaluated(_ bits: UInt32, of device: Device) {
    var set = Int(device.newestSet)
    while set >= 0 {
      if table[set].bit & bits != 0 { table[set].isEvaluated = false }
      set = Int(table[set].next)
    }
  }

  // MARK: Payloads

  /// Whether a report's payload is other than the one that its set has.
  ///
  /// A directed PDU without data says nothing about the payload, and a truncated payload says nothing against a longer
  /// one that it begins.
  @inline(__always)
  func isNew(_ payload: RawSpan, _ report: HeardReport, in set: Int) -> Bool {
    if report.properties.contains(.directed), payload.byteCount == 0 { return false }
    let bytes = payloads.bytes
    let known =
      report.isResponse
      ? bytes.payload(table[set].response, .response, of: set)
      : bytes.payload(table[set].data, .data, of: set)
    if known.equals(payload) { return false }
    return report.dataStatus != .truncated || !known.starts(with: payload)
  }

  /// Whether a payload of this length needs a slot that is not there.
  @inline(__always)
  func lacksSlot(for byteCount: Int, _ part: PayloadPart, of set: Int) -> Bool {
    payloads.needsSlot(for: byteCount, over: part == .response ? table[set].response : table[set].data)
  }

  /// Replaces one of a set's payloads. Returns false when the new one is too long or lacks a slot.
  @inline(__always)
  mutating func replace(_ part: PayloadPart, of set: Int, with payload: RawSpan) -> Bool {
    guard payload.byteCount <= ReportAssembler.payloadBytesMax,
      !lacksSlot(for: payload.byteCount, part, of: set)
    else { return false }
    switch part {
    case .data: payloads.replace(&table[set].data, part, of: set, with: payload)
    case .response: payloads.replace(&table[set].response, part, of: set, with: payload)
    }
    return true
  }

  /// Gives a set the known frame at a place.
  @inline(__always)
  func resume(_ place: Int, in entry: Int, _ part: PayloadPart, of set: Int) {
    known.resume(place, in: entry)
    known.copyBytes(
      of: place, to: payloads.bytes.inline, at: PayloadBytes.inlineOffset(part, of: set))
    table[set].resume(part, known.frames[place])
  }

  /// Drops what is known about the other frames of a device, whose matches have changed.
  func dropKnownFrames(of device: Device) {
    var set = Int(device.newestSet)
    while set >= 0 {
      table[set].knownFrames = -1
      set = Int(table[set].next)
    }
  }

  /// Keeps what is known about a payload that is new to a set, for when it comes back, and which matches it `bears`. When
  /// it cannot be kept, or not all its items have a match, everything is dropped.
  mutating func keepFrame(_ part: PayloadPart, of set: Int, bears: UInt8) {
    let stored = part == .data ? table[set].data : table[set].response
    let evaluation = table[set].evaluation
    guard stored.quietByteCount > 0, evaluation.items.total == bears.nonzeroBitCount else {
      table[set].knownFrames = -1
      return
    }
    let frame = KnownFrame(
      evaluation: evaluation, byteCount: UInt8(truncatingIfNeeded: stored.byteCount),
      statedTxPower: table[set].statedTxPower, bears: bears)
    let bytes = payloads.bytes
    table[set].knownFrames = Int16(
      known.keep(frame, bytes.payload(stored, part, of: set), part, of: set, among: table))
  }

  mutating func releasePayloads(of set: Int) {
    payloads.release(&table[set].data)
    payloads.release(&table[set].response)
  }
}
