// SPDX-License-Identifier: GPL-3.0-or-later

/// Who stands behind each epoll token.
///
/// A token is a place and the generation of the place. When a descriptor is closed its place gets a new generation, so
/// that an event that was already on its way is recognised as stale, even if the number was given out again.
///
/// Capacity: as many places as it was made with, or has grown to; `insert` answers nil when all are taken.
public struct EpollRegistry<Owner: Sendable>: Sendable {
  private struct Place {
    var generation: UInt32 = 0
    var owner: Owner?
  }

  private var places: [Place]
  private var free: [Int]
  /// Events that came for a place after its owner had left.
  public private(set) var staleCount: UInt64 = 0

  public init(capacity: Int) {
    places = Array(repeating: Place(), count: capacity)
    free = (0..<capacity).reversed()
  }

  /// Makes room for as many as `capacity`; it never shrinks.
  public mutating func grow(to capacity: Int) {
    free += (places.count..<max(places.count, capacity)).reversed()
    while places.count < capacity { places.append(Place()) }
  }

  public var count: Int { places.count - free.count }

  /// The token for a new owner, or nil when every place is taken.
  public mutating func insert(_ owner: Owner) -> UInt64? {
    guard let place = free.popLast() else { return nil }
    places[place].owner = owner
    return Self.token(place, places[place].generation)
  }

  /// The owner behind a token, or nil, which is counted, when it has left.
  public mutating func owner(of token: UInt64) -> Owner? {
    let place = Int(token & 0xFFFF_FFFF)
    guard place < places.count, places[place].generation == UInt32(token >> 32),
      let owner = places[place].owner
    else {
      staleCount &+= 1
      return nil
    }
    return owner
  }

  /// Ends a token; later events for it are stale.
  public mutating func remove(_ token: UInt64) {
    let place = Int(token & 0xFFFF_FFFF)
    precondition(
      place < places.count && places[place].generation == UInt32(token >> 32), "a token ended twice")
    places[place].owner = nil
    places[place].generation &+= 1
    free.append(place)
  }

  private static func token(_ place: Int, _ generation: UInt32) -> UInt64 {
    UInt64(generation) << 32 | UInt64(place)
  }
}
