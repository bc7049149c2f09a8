// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// One item that matches a device, or matched it a short while ago.
///
/// A device that alternates frames matches with some of them only. Its match outlasts the others: it ends when none has
/// matched for the item's silence time.
public struct Match: Sendable, BitwiseCopyable {
  public internal(set) var item: Int32 = -1
  /// The advertising sets whose payload matches now, by ``AdvertisingSet/bit``; none while the device sends another
  /// frame.
  var sets: UInt32 = 0
  /// When the payload of the last set that left `sets` was replaced. Those in `sets` have times of their own.
  var replaced = Instant(microseconds: .min)
  /// When `presence` took its value; of one that is inside, and has no entry in the ``FrameTable`` any more, when its last event
  /// was sent.
  public private(set) var since = Instant(microseconds: 0)
  public private(set) var presence = Presence.outside
  /// The number of the set whose new frame was not sent before the entry gave way, from 1 on; else 0.
  private var owed: UInt8 = 0
  /// The entry of the ``FrameTable``, once a frame has changed since the device was found; else -1.
  var frames: Int16 = -1
  /// Without an entry: new frames left out since the last event.
  var skipped: UInt32 = 0

  init() {}

  /// Whether the item counts as found.
  public var isFound: Bool { presence.isFound }

  /// Whether the device matches with a frame that it sent last.
  public var isCurrent: Bool { sets != 0 }

  /// The one setter of `presence`.
  mutating func setPresence(_ presence: Presence, at now: Instant) {
    self.presence = presence
    since = now
  }

  /// The ``AdvertisingSet/bit`` of the set whose new frame is still to be sent; 0 for none.
  var owedSet: UInt32 {
    get { owed == 0 ? 0 : 1 << UInt32(owed - 1) }
    set { owed = newValue == 0 ? 0 : UInt8(newValue.trailingZeroBitCount + 1) }
  }

  /// Notes when the last event was sent, for a match without an entry.
  mutating func noteEvent(at time: Instant) {
    if presence == .inside { since = max(since, time) }
  }

  /// Moves the time of the last change of `presence` on.
  mutating func moveStart(by microseconds: Int64) {
    since = Instant(microseconds: since.microseconds &+ microseconds)
  }
}

/// Which items match which devices, with the gate and the quota of each item.
///
/// Capacity: eight matches for each row, in manifest order; an item beyond them gives way to those before it. Each item
/// keeps a fixed number of matches with devices that belong to no accessory; the pipeline decides which gives way.
struct MatchTable: ~Copyable {
  /// Eight slots for each row.
  let table: FixedTable<Match>
  let gates: FixedTable<GateSettings>
  let quotas: FixedTable<ItemQuota>
  let matchesPerItem: Int32
  /// How long the strongest devices of an item are looked for before they are chosen.
  private(set) var settlingMilliseconds: Int64 = 0

  init(rows: Int, items: Int, matchesPerItem: Int32, in arena: inout Arena) {
    table = arena.table(of: Match(), count: rows * MatchedItems.capacity)
    gates = arena.table(of: GateSettings(), count: items)
    quotas = arena.table(of: ItemQuota(), count: items)
    self.matchesPerItem = matchesPerItem
  }

  mutating func setGate(_ settings: GateSettings, item: Int) {
    gates[item] = settings
    settlingMilliseconds = max(settlingMilliseconds, Int64(settings.settlingMilliseconds))
  }

  // MARK: Slots

  @inline(__always)
  func index(_ slot: Int, of row: Int) -> Int { row &* MatchedItems.capacity &+ slot }

  @inline(__always)
  func match(_ slot: Int, of row: Int) -> Match { table[index(slot, of: row)] }

  /// The slot of an item among the `count` matches of a row, or nil.
  func slot(ofItem item: Int, row: Int, count: UInt8) -> Int? {
    for slot in 0..<Int(count) where Int(table[index(slot, of: row)].item) == item { return slot }
    return nil
  }

  /// Where an item stands, or would stand, among the `count` matches of a row.
  func position(ofItem item: Int32, row: Int, count: UInt8) -> Int {
    var slot = 0
    while slot < Int(count), table[index(slot, of: row)].item < item { slot += 1 }
    return slot
  }

  /// Puts a match into a slot of a row, which has room, and moves the later ones up.
  func insert(_ match: Match, at slot: Int, of row: Int, _ device: inout Device) {
    for later in (slot..<Int(device.matchCount)).reversed() {
      table[index(later + 1, of: row)] = table[index(later, of: row)]
    }
    table[index(slot, of: row)] = match
    device.matchCount += 1
    device.isDeadlineEarly = false
    if !device.isAccessory { quotas[Int(match.item)].count += 1 }
  }

  /// Removes a match from a row and moves the later ones down.
  func remove(_ slot: Int, of row: Int, _ device: inout Device) {
    if !device.isAccessory { quotas[Int(table[index(slot, of: row)].item)].count -= 1 }
    device.matchCount -= 1
    // Its readings wait from now on, beginning with none.
    if device.matchCount == 0 { device.signal.settle() }
    for earlier in slot..<Int(device.matchCount) {
      table[index(earlier, of: row)] = table[index(earlier + 1, of: row)]
    }
  }

  // MARK: Quotas

  func hasFreeSlot(forItem item: Int) -> Bool { quotas[item].count < matchesPerItem }

  func isOverQuota(_ item: Int) -> Bool { quotas[item].count > matchesPerItem }

  /// Counts the matches of a row against their quotas, or no more, after its device left or joined an accessory.
  func recount(_ row: Int, of device: Device) {
    for slot in 0..<Int(device.matchCount) {
      quotas[Int(table[index(slot, of: row)].item)].count += device.isAccessory ? -1 : 1
    }
  }

  /// Notes the levels among the devices that have an item. Returns the one that gives way first: the weakest, of equal
  /// ones the one heard least recently.
  @discardableResult
  func compareDevices(ofItem item: Int, among rows: FixedTable<Device>, at now: Instant) -> Int? {
    var weakestRow: Int?
    var quota = quotas[item]
    quota.compared = now
    quota.weakest = .max
    quota.strongest = .min
    quota.oldest = Instant(microseconds: .max)
    for row in 0..<rows.count where rows[row].isLive && !rows[row].isAccessory {
      guard slot(ofItem: item, row: row, count: rows[row].matchCount) != nil else { continue }
      let rank = rank(of: row, in: rows, item: item, at: now)
      quota.strongest = max(quota.strongest, rank)
      if rows[row].lastSeen < quota.oldest {
        (quota.oldest, quota.oldestRow) = (rows[row].lastSeen, Int32(row))
      }
      if let other = weakestRow {
        guard rank < quota.weakest || (rank == quota.weakest && rows[row].lastSeen < rows[other].lastSeen)
        else { continue }
      }
      weakestRow = row
      quota.weakest = rank
    }
    quotas[item] = quota
    return weakestRow
  }

  /// How a device ranks among those that an item finds: by its filtered level in Q4; those without a reading come
  /// after them, and silent ones last: for longer than the settling time and than the pauses that they are known to make.
  @inline(__always)
  func rank(of row: Int, in rows: FixedTable<Device>, item: Int, at now: Instant) -> Int16 {
    let patience = Int64(gates[item].settlingMilliseconds) + Int64(rows[row].signal.rhythm.milliseconds)
    let isSilent = now.milliseconds(since: rows[row].lastSeen) > patience
    return isSilent
      ? ItemQuota.silent : rows[row].signal.hasReading ? rows[row].signal.settleLevel() : ItemQuota.unread
  }

  /// Whether a device takes the place of the one heard least recently: when that has been silent for the settling time. Only
  /// for one that sleeps itself, a pause within the other's rhythm is no silence: else they would take turns.
  @inline(__always)
  func replacesOldest(_ row: Int, in rows: FixedTable<Device>, item: Int, at now: Instant) -> Bool {
    let patience = Int64(gates[item].settlingMilliseconds)
    guard quotas[item].oldestRow >= 0, now.milliseconds(since: quotas[item].oldest) > patience else {
      return false
    }
    return rows[row].rhythmMilliseconds.map { Int64($0) <= patience } ?? true
  }

  /// Whether a device takes the place of another: always when it is stronger than all or one is silent, else when it is
  /// stronger than the weakest by 6 dB and the last exchange is long enough ago.
  @inline(__always)
  func admits(_ row: Int, in rows: FixedTable<Device>, item: Int, at now: Instant) -> Bool {
    if replacesOldest(row, in: rows, item: item, at: now) { return true }
    let rank = rank(of: row, in: rows, item: item, at: now)
    if rank > quotas[item].strongest || quotas[item].weakest == ItemQuota.silent { return true }
    return Int(rank) - Int(quotas[item].weakest) >= ItemQuota.lead
      && quotas[item].isDue(quotas[item].exchanged, at: now)
  }

  /// The level, in Q4, up to which a full item admits no device, as its devices were when they were last compared.
  @inline(__always)
  func levelTurnedAway(byItem item: Int, at now: Instant) -> Int16 {
    let isOpen =
      hasFreeSlot(forItem: item) || quotas[item].isDue(quotas[item].compared, at: now)
      || now.milliseconds(since: quotas[item].oldest) > Int64(gates[item].settlingMilliseconds)
      || quotas[item].weakest <= ItemQuota.unread
    return isOpen ? .min : min(quotas[item].strongest, quotas[item].weakest &+ Int16(ItemQuota.lead) &- 1)
  }

  /// Checks the quota of each item and the order of each row's matches; for tests.
  func checkInvariants(_ rows: FixedTable<Device>) {
    for item in 0..<quotas.count {
      var count: Int32 = 0
      for row in 0..<rows.count where rows[row].isLive && !rows[row].isAccessory {
        if slot(ofItem: item, row: row, count: rows[row].matchCount) != nil { count += 1 }
      }
      precondition(quotas[item].count == count, "an item's matches are miscounted")
      precondition(count <= matchesPerItem, "a quota is broken")
    }
    for row in 0..<rows.count where rows[row].isLive {
      for slot in 1..<max(1, Int(rows[row].matchCount)) {
        precondition(match(slot - 1, of: row).item < match(slot, of: row).item, "matches are out of order")
      }
    }
  }
}

/// How many devices have an item, and how strong they are. Levels are Q4: sixteenths of a decibel.
struct ItemQuota: BitwiseCopyable {
  /// A newcomer that is not the strongest of all must be stronger than the weakest by this: 6 dB.
  static var lead: Int { 6 << 4 }
  /// Such a newcomer takes a place at most so often; and levels are compared again after as long.
  static var exchangeMilliseconds: Int64 { 1000 }
  /// The ranks of a device that is silent, and of one without a reading.
  static var silent: Int16 { .min }
  static var unread: Int16 { .min + 1 }

  /// Matches that count against the quota.
  var count: Int32 = 0
  /// The levels when they were last compared.
  var weakest = Int16.max
  var strongest = Int16.min
  var compared = Instant(microseconds: .min)
  /// When the one heard least recently was heard, and its row.
  var oldest = Instant(microseconds: .max)
  var oldestRow: Int32 = -1
  /// When a newcomer last took a place.
  var exchanged = Instant(microseconds: .min)
  /// The streams of reports that want the devices which the item has found, by their bits.
  var streams: UInt8 = 0

  /// For a table whose matches are counted again.
  var withoutCount: Self {
    var quota = self
    quota.count = 0
    return quota
  }

  func isDue(_ last: Instant, at now: Instant) -> Bool {
    last.microseconds == .min || now.milliseconds(since: last) >= Self.exchangeMilliseconds
  }
}
