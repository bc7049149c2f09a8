// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces

/// A change of the radio's state, for operators who watch.
struct RadioChange: Equatable, Sendable {
  let state: RadioLine.State
  let detail: String
  /// How long the radio has not scanned, in microseconds; nil unless it scans again.
  let gap: Int64?
}
