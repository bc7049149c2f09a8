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

/// One item that matches a device.
public struct Match: Sendable, BitwiseCopyable {
  public internal(set) var item: Int32 = -1
  public private(set) var presence = Presence.outside
  /// When `presence` took its value.
  public private(set) var since = Instant(microseconds: 0)
  /// The advertising sets whose payload matches, by ``AdvertisingSet/bit``.
  var sets: UInt32 = 0
  /// When the payload was last reported.
  var reported = Instant(microseconds: 0)
  /// The payload changed and is to be reported a second after `reported`.
  var changeIsPending = false

  init() {}

  /// Whether the item counts as found.
  public var isFound: Bool { presence.isFound }

  /// The one setter of `presence`.
  mutating func setPresence(_ presence: Presence, at now: Instant) {
    self.presence = presence
    since = now
    switch presence {
    case .outside, .approaching: changeIsPending = false
    case .inside, .leaving: break
    }
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
  /// Matches of each item that count against its quota.
  let itemCounts: FixedTable<Int32>
  let matchesPerItem: Int32
  /// No silence of any item ends sooner after a report than this.
  private(set) var shortestSilenceMilliseconds = Int64.max / 2000

  init(rows: Int, items: Int, matchesPerItem: Int32, in arena: inout Arena) {
    table = arena.table(of: Match(), count: rows * MatchedItems.capacity)
    gates = arena.table(of: GateSettings(), count: items)
    itemCounts = arena.table(of: 0, count: items)
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
    if !device.isAccessory { itemCounts[Int(match.item)] += 1 }
  }

  /// Removes a match from a row and moves the later ones down.
  func remove(_ slot: Int, of row: Int, _ device: inout Device) {
    if !device.isAccessory { itemCounts[Int(table[index(slot, of: row)].item)] -= 1 }
    device.matchCount -= 1
    for earlier in slot..<Int(device.matchCount) {
      table[index(earlier, of: row)] = table[index(earlier + 1, of: row)]
    }
  }

  // MARK: Quotas

  func hasFreeSlot(forItem item: Int) -> Bool { itemCounts[item] < matchesPerItem }

  func isOverQuota(_ item: Int) -> Bool { itemCounts[item] > matchesPerItem }

  /// Counts the matches of a row against their quotas, or no more, after its device left or joined an accessory.
  func recount(_ row: Int, of device: Device) {
    for slot in 0..<Int(device.matchCount) {
      itemCounts[Int(table[index(slot, of: row)].item)] += device.isAccessory ? -1 : 1
    }
  }

  /// The device that gives up an item first: one heard fewer than three times, then the one heard least recently.
  func quotaVictim(ofItem item: Int, among rows: FixedTable<Device>) -> Int? {
    var victim: Int?
    for row in 0..<rows.count where rows[row].isLive && !rows[row].isAccessory {
      guard slot(ofItem: item, row: row, count: rows[row].matchCount) != nil else { continue }
      if let other = victim, !rows[row].losesMatchBefore(rows[other]) { continue }
      victim = row
    }
    return victim
  }

  /// Checks the quota of each item and the order of each row's matches; for tests.
  func checkInvariants(_ rows: FixedTable<Device>) {
    for item in 0..<itemCounts.count {
      var count: Int32 = 0
      for row in 0..<rows.count where rows[row].isLive && !rows[row].isAccessory {
        if slot(ofItem: item, row: row, count: rows[row].matchCount) != nil { count += 1 }
      }
      precondition(itemCounts[item] == count, "an item's matches are miscounted")
      precondition(count <= matchesPerItem, "a quota is broken")
    }
    for row in 0..<rows.count where rows[row].isLive {
      for slot in 1..<max(1, Int(rows[row].matchCount)) {
        precondition(match(slot - 1, of: row).item < match(slot, of: row).item, "matches are out of order")
      }
    }
  }
}

extension Device {
  /// Whether the device has been heard fewer than three times.
  var isNewcomer: Bool { reportCount < 3 }

  /// Whether a full quota takes a match from this device rather than from the other.
  fileprivate func losesMatchBefore(_ other: Device) -> Bool {
    guard isNewcomer == other.isNewcomer else { return isNewcomer }
    return lastSeen < other.lastSeen
  }
}
