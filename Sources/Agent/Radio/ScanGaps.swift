// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces

/// A change of the radio's state, for operators who watch.
struct RadioChange: Equatable, Sendable {
  let state: RadioLine.State
  let detail: String
  /// How long the radio has not scanned, in microseconds; nil unless it scans again.
  let gap: Int64?
  /// Whether the gap began because the kernel pairs a device.
  let isForPairing: Bool
}

/// The times in which the radio did not scan after it had, and those of them that pairings caused.
struct ScanGaps: Sendable {
  private var start: Instant?
  private var isForPairing = false
  /// How often the radio paused for a pairing and scanned again, how long in all, and how long at most, in microseconds.
  private(set) var pauseCount: UInt64 = 0
  private(set) var pauseTotal: Int64 = 0
  private(set) var pauseLongest: Int64 = 0

  /// Follows a change of the state. `isLent`: the adapter is with the kernel for a pairing.
  mutating func follow(
    _ state: RadioLine.State, before: RadioLine.State, detail: String, isLent: Bool, at now: Instant
  ) -> RadioChange {
    guard state == .on else {
      if before == .on { (start, isForPairing) = (now, isLent) }
      return RadioChange(state: state, detail: detail, gap: nil, isForPairing: isForPairing)
    }
    let gap = start.map { now.microseconds &- $0.microseconds }
    if let gap, isForPairing { note(gap) }
    defer { (start, isForPairing) = (nil, false) }
    return RadioChange(state: state, detail: detail, gap: gap, isForPairing: isForPairing)
  }

  private mutating func note(_ gap: Int64) {
    pauseCount &+= 1
    pauseTotal &+= gap
    pauseLongest = max(pauseLongest, gap)
  }
}
