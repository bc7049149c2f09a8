// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Interfaces

extension Seconds {
  /// From `start` to `end`; negative when the clock was set back in between.
  public init(from start: Instant, to end: Instant) {
    self.init(microseconds: end.microseconds &- start.microseconds)
  }
}
