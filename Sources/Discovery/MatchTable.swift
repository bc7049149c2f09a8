// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Where an item stands with a device. Items without a gate go from `outside` to `inside` with the match itself.
public enum Presence: UInt8, Sendable, BitwiseCopyable {
  /// The gate is not passed; nothing was reported.
  case outside
  /// The level is high enough, but not yet for long enough or on enough readings.
  case approaching
  /// Found.
  case inside
  /// Found, and the level has sunk under the leave threshold.
  case leaving

  /// Whether the item counts as found.
  public var isFound: Bool { self == .inside || self == .leaving }
}

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
  /// When `presence` took its value.
  public private(set) var since = Instant(microseconds: 0)
  /// When the payload was last reported.
  var reported = Instant(microseconds: 0)
  public private(set) var presence = Presence.outside
  /// The payload changed and is to be reported a second after `reported`.
  var changeIsPending = false

  init() {}

  /// Whether the item counts as found.
  public var isFound: Bool { presence.isFound }

  /// Whether the device matches with a frame that it sent last.
  public var isCurrent: Bool { sets != 0 }

  /// The one setter of `presence`.
  mutating func setPresence(_ presence: Presence, at now: Instant) {
    self.presence = presence
    since = now
    switch presence {
    case .outside, .approaching: changeIsPending = false
    case .inside, .leaving: break
    }
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
  /// No silence of any item ends sooner after a report than this.
  private(set) var shortestSilenceMilliseconds = Int64.max / 2000

  init(rows: Int, items: Int, matchesPerItem: Int32, in arena: inout Arena) {
    table = arena.table(of: Match(), count: rows * MatchedItems.capacity)
    gates = arena.table(of: GateSettings(), count: items)
    quotas = arena.table(of: ItemQuota(), count: items)
    self.matchesPerItem = matchesPerItem
  }

  mutating func setGate(_ settings: GateSettings, item: Int) {
    gates[item] = settings
    shortestSilenceMilliseconds = min(shortestSilenceMilliseconds, Int64(settings.lostMilliseconds))
    guard settings.isImmediate else { return }
    shortestSilenceMilliseconds = min(shortestSilenceMilliseconds, Int64(settings.silenceMilliseconds))
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
    if !device.isAccessory { quotas[Int(match.item)].count += 1 }
  }

  /// Removes a match from a row and moves the later ones down.
  func remove(_ slot: Int, of row: Int, _ device: inout Device) {
    if !device.isAccessory { quotas[Int(table[index(slot, of: row)].item)].count -= 1 }
    device.matchCount -= 1
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
    for row in 0..<rows.count where rows[row].isLive && !rows[row].isAccessory {
      guard slot(ofItem: item, row: row, count: rows[row].matchCount) != nil else { continue }
      let level = rows[row].rankingLevel
      quota.strongest = max(quota.strongest, level)
      if let other = weakestRow {
        guard level < quota.weakest || (level == quota.weakest && rows[row].lastSeen < rows[other].lastSeen)
        else { continue }
      }
      weakestRow = row
      quota.weakest = level
    }
    quotas[item] = quota
    return weakestRow
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
  /// How long a device counts as new.
  static var newcomerMilliseconds: Int64 { 8000 }

  /// Matches that count against the quota.
  var count: Int32 = 0
  /// The levels when they were last compared.
  var weakest = Int16.max
  var strongest = Int16.min
  var compared = Instant(microseconds: .min)
  /// When a newcomer last took a place.
  var exchanged = Instant(microseconds: .min)

  /// For a table whose matches are counted again.
  var withoutCount: Self {
    var quota = self
    quota.count = 0
    return quota
  }

  /// By how much a device is stronger than the weakest that has the item.
  func lead(of device: Device) -> Int { Int(device.rankingLevel) - Int(weakest) }

  /// Whether a device takes the place of the weakest: always when it is stronger than all, else when it competes and
  /// the last exchange is long enough ago.
  func admits(_ device: Device, at now: Instant) -> Bool {
    device.rankingLevel > strongest
      || (isDue(exchanged, at: now) && device.competes(lead: lead(of: device), at: now))
  }

  func isDue(_ last: Instant, at now: Instant) -> Bool {
    last.microseconds == .min || now.milliseconds(since: last) >= Self.exchangeMilliseconds
  }
}

extension Device {
  /// The filtered level in Q4; below all others before the first reading.
  var rankingLevel: Int16 { signal.readingCount == 0 ? .min : signal.level }

  /// Whether the device may take a place from another: while it is new, or after it has become stronger by 6 dB against
  /// the weakest than it was when it was turned away. So in a room where nothing moves nothing changes places for ever.
  fileprivate func competes(lead: Int, at now: Instant) -> Bool {
    guard lead >= ItemQuota.lead else { return false }
    return isNewcomer(at: now) || lead >= Int(turnedAwayLead) + ItemQuota.lead
  }

  /// Remembers how the device compares when it is turned away, while it is new.
  mutating func noteTurnedAway(lead: Int, at now: Instant) {
    if isNewcomer(at: now) { turnedAwayLead = Int16(clamping: lead) }
  }

  private func isNewcomer(at now: Instant) -> Bool {
    now.milliseconds(since: firstSeen) < ItemQuota.newcomerMilliseconds
  }
}
