// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Finds the row of an address: open addressing with linear probing, at most half full, without tombstones.
///
/// The hash is the upper bits of a product with a secret odd number (Dietzfelbinger et al., "A reliable randomized
/// algorithm for the closest-pair problem", 1997): a sender that does not know the number cannot choose addresses
/// that collide.
struct AddressIndex: ~Copyable {
  private struct Slot: BitwiseCopyable {
    /// The address's word; all ones, which no address has, mark a free slot.
    var key: UInt64
    var row: Int32
  }

  private static var free: UInt64 { .max }
  private let slots: FixedTable<Slot>
  private let multiplier: UInt64
  /// Leaves as many bits of a product as number the slots.
  private let shift: UInt64

  init(rows: Int, hashKey: HashKey, in arena: inout Arena) {
    var count = 4
    while count < 2 * rows { count *= 2 }
    multiplier = hashKey.multiplier
    shift = UInt64(count.leadingZeroBitCount + 1)
    slots = arena.table(of: Slot(key: Self.free, row: -1), count: count)
  }

  /// The slot where the search for an address begins.
  @inline(__always)
  func home(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: (key &* multiplier) &>> shift)
  }

  @inline(__always)
  private func next(_ slot: Int) -> Int { (slot &+ 1) & (slots.count &- 1) }

  /// The row of `address`, or -1.
  @inline(__always)
  func row(of address: DeviceAddress) -> Int {
    let key = address.word
    var slot = home(key)
    while slots[slot].key != key {
      if slots[slot].key == Self.free { return -1 }
      slot = next(slot)
    }
    return Int(slots[slot].row)
  }

  /// Adds an address that is not there.
  mutating func insert(_ address: DeviceAddress, row: Int) {
    let key = address.word
    var slot = home(key)
    while slots[slot].key != Self.free { slot = next(slot) }
    slots[slot] = Slot(key: key, row: Int32(row))
  }

  /// Removes an address of the index, and moves later ones into the hole where that brings them nearer to their own
  /// slot.
  mutating func remove(_ address: DeviceAddress) {
    let key = address.word
    var hole = home(key)
    while slots[hole].key != key {
      precondition(slots[hole].key != Self.free, "an address was removed that was not there")
      hole = next(hole)
    }
    var slot = next(hole)
    while slots[slot].key != Self.free {
      let distance = (slot &- home(slots[slot].key)) & (slots.count &- 1)
      if distance >= (slot &- hole) & (slots.count &- 1) {
        slots[hole] = slots[slot]
        hole = slot
      }
      slot = next(slot)
    }
    slots[hole].key = Self.free
  }
}
