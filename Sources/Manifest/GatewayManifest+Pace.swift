// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI

extension GatewayManifest {
  /// The manifest for a board: where the radio listens only a part of the time, silences are measured by the time that
  /// it listens, and more patiently.
  ///
  /// The radio then hears an advertiser by chance. So a silence of 10 s is one of 100 s to a radio that listens a tenth
  /// of the time, and gaps have no upper end: one in eight is longer than three times their median, one in a thousand
  /// longer than ten times. Each silence keeps its maximum. A recording tells nothing of how it was listened to and is
  /// taken as it stands.
  public func paced(by board: BoardProfile) -> GatewayManifest {
    if case .btsnoop = gateway.radio { return self }
    let duty = board.low
    guard !duty.isFull else { return self }
    var paced = self
    for app in paced.apps.indices {
      for item in paced.apps[app].items.indices { paced.apps[app].items[item].gate.stretch(for: duty) }
    }
    return paced
  }
}

extension GateSettings {
  fileprivate mutating func stretch(for duty: ScanDuty) {
    patienceFactor = 10
    lostMilliseconds = Self.stretched(lostMilliseconds, for: duty, lostMillisecondsMax)
    silenceMilliseconds = Self.stretched(silenceMilliseconds, for: duty, silenceMillisecondsMax)
  }

  private static func stretched(_ milliseconds: Int32, for duty: ScanDuty, _ most: Int32) -> Int32 {
    let stretched =
      Int64(milliseconds) * Int64(duty.intervalMilliseconds) / Int64(max(duty.windowMilliseconds, 1))
    return max(milliseconds, Int32(clamping: min(stretched, Int64(most))))
  }
}
