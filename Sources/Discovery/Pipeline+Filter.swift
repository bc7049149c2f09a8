// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// The kernel's filter, as far as the data path knows of it. It passes every report of devices that match an item or belong to
// an accessory. Of others it passes what some clause looks for, and by chance the first bytes of a few of the rest.

extension Pipeline {
  /// What is left of an event that passed by chance: H4 indicator, event code, length, subevent and the number of reports.
  public static var chanceByteCount: Int { 5 }

  /// How often the devices changed whose every report is to pass; wraps around.
  public var filterChanges: UInt32 { devices.filterChanges }

  /// Whether only the first bytes of an event passed.
  func isByChance(_ event: borrowing Event) -> Bool {
    event.trailingByteCount < 0 && event.parameters.byteCount == Self.chanceByteCount - 3
  }

  /// Whether a device without a match keeps its row. Of others than accessories, known identities, and those whose next
  /// payload may complete a match, not enough passes to learn from.
  func isWanted(_ row: Int) -> Bool {
    if devices.rows[row].isAccessory || devices.rows[row].identity >= 0 || matcher.keysComplete {
      return true
    }
    var set = Int(devices.rows[row].newestSet)
    while set >= 0 {
      let evaluation = sets.table[set].evaluation
      if evaluation.isPartial || evaluation.items.total > 0 { return true }
      set = Int(sets.table[set].next)
    }
    return false
  }

  /// Frees the row of a device that is not wanted, as though it had none.
  mutating func forget(_ row: Int) {
    if devices.rows[row].reportCount == 1 { counters.devicesAdded &-= 1 }
    remove(row: row)
  }

  /// Since when a device that begins to match has been heard whole, so that its pauses teach something.
  func heardWholeSince(_ row: Int) -> Instant {
    isFiltered && !devices.rows[row].wasLostInSilence ? clock : listeningSince
  }
}
