// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Keeps lines that a stranger can cause to one per kind and minute.
///
/// Capacity: one place per kind. What is held back is counted, and told with the next line of its kind.
struct LogLimiter<Kind: Hashable & CaseIterable & Sendable>: Sendable {
  static var pauseMilliseconds: Int64 { 60_000 }

  private struct Place: Sendable {
    var last: Instant
    var heldCount = 0
  }

  private var places: [Kind: Place] = [:]

  /// How many lines of this kind were held back since the last; nil when this one is to be held back too.
  mutating func admit(_ kind: Kind, at now: Instant) -> Int? {
    guard let place = places[kind] else {
      places[kind] = Place(last: now)
      return 0
    }
    guard now.milliseconds(since: place.last) >= Self.pauseMilliseconds else {
      places[kind]?.heldCount += 1
      return nil
    }
    places[kind] = Place(last: now)
    return place.heldCount
  }
}
