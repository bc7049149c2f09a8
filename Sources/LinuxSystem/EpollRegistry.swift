// SPDX-License-Identifier: GPL-3.0-or-later

/// The owner of each epoll token.
///
/// A token is a slot and the slot's generation. When a descriptor is closed, its slot gets a new generation, so that an
/// event that was already under way is recognised as stale, even if the descriptor's number is in use again.
///
/// Capacity: as many slots as it was created with or has grown to; `insert` returns nil when all are in use.
public struct EpollRegistry<Owner: Sendable>: Sendable {
  private struct Slot {
    var generation: UInt32 = 0
    var owner: Owner?
  }

  private var slots: [Slot]
  private var free: [Int]
  /// Events that arrived for a slot after its owner was removed.
  public private(set) var staleCount: UInt64 = 0

  public init(capacity: Int) {
    slots = Array(repeating: Slot(), count: capacity)
    free = (0..<capacity).reversed()
  }

  /// Grows to `capacity` slots; it never shrinks.
  public mutating func grow(to capacity: Int) {
    free += (slots.count..<max(slots.count, capacity)).reversed()
    while slots.count < capacity { slots.append(Slot()) }
  }

  public var count: Int { slots.count - free.count }

  /// Returns the token of a new owner; nil when every slot is in use.
  public mutating func insert(_ owner: Owner) -> UInt64? {
    guard let slot = free.popLast() else { return nil }
    slots[slot].owner = owner
    return Self.token(slot, slots[slot].generation)
  }

  /// Returns the owner of a token; nil, which is counted, if it was removed.
  public mutating func owner(of token: UInt64) -> Owner? {
    let slot = Int(token & 0xFFFF_FFFF)
    guard slot < slots.count, slots[slot].generation == UInt32(token >> 32),
      let owner = slots[slot].owner
    else {
      staleCount &+= 1
      return nil
    }
    return owner
  }

  /// Removes the owner of a token; later events for it are stale.
  public mutating func remove(_ token: UInt64) {
    let slot = Int(token & 0xFFFF_FFFF)
    precondition(
      slot < slots.count && slots[slot].generation == UInt32(token >> 32), "a token ended twice")
    slots[slot].owner = nil
    slots[slot].generation &+= 1
    free.append(slot)
  }

  private static func token(_ slot: Int, _ generation: UInt32) -> UInt64 {
    UInt64(generation) << 32 | UInt64(slot)
  }
}
