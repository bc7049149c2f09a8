// SPDX-License-Identifier: Apache-2.0

// Raw values are the words of the wire.

/// Where an item stands with a device. Items without a gate go from `outside` to `inside` with the match itself.
@frozen
public enum Presence: String, CaseIterable, Sendable, BitwiseCopyable {
  /// The gate is not passed; nothing was reported.
  case outside
  /// The level is high enough, but not yet for long enough or on enough readings.
  case approaching
  /// Found.
  case inside
  /// Found, and the level has sunk under the leave threshold.
  case leaving

  /// Whether the item counts as found.
  @inlinable
  @inline(__always)
  public var isFound: Bool {
    switch self {
    case .inside, .leaving: true
    case .outside, .approaching: false
    }
  }
}

/// The kind of a sighting event.
@frozen
public enum SightingEvent: String, CaseIterable, Sendable, BitwiseCopyable {
  case found, changed, lost
}

/// Why.
@frozen
public enum SightingReason: String, CaseIterable, Sendable, BitwiseCopyable {
  /// Found: the advertising matched an item without a gate.
  case matched
  /// Found: the device passed the immediate gate.
  case entered
  /// Changed: the merged bytes are others than at the last event.
  case payload
  /// Lost: nothing was heard for too long.
  case silence
  /// Lost: the level stayed below the gate.
  case left
  /// Lost: what it advertises now does not match.
  case noLongerMatches
  /// Lost: a table was full.
  case evicted
  /// Lost: the radio went away.
  case radioDown
  /// Lost: the manifest changed, or an identity key showed that the device is there under another address.
  case reload
}
