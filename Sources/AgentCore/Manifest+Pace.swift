// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery

extension Manifest {
  /// The manifest for a board: where the radio listens only a part of the time, silences are measured more patiently.
  ///
  /// It then hears an advertiser by chance, and gaps of chance have no upper end: one in eight is longer than three
  /// times their median, one in a thousand longer than ten times.
  public func paced(by board: BoardProfile) -> Manifest {
    guard board.low.windowMilliseconds < board.low.intervalMilliseconds else { return self }
    var paced = self
    for app in paced.apps.indices {
      for item in paced.apps[app].items.indices { paced.apps[app].items[item].gate.patienceFactor = 10 }
    }
    return paced
  }
}
