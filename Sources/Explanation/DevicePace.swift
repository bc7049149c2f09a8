// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery

/// How often a device sends, in words.
public enum DevicePace {
  /// A pause that is longer than this, and than five intervals, separates bursts.
  private static let pauseMilliseconds: UInt32 = 5000

  /// "every 600 ms", "with pauses of up to 60 s", or "in bursts, with pauses of up to 60 s"; nil while nothing is known.
  public static func text(intervalMilliseconds: UInt32?, rhythmMilliseconds: UInt32?) -> String? {
    let pauses = rhythmMilliseconds.map { "with pauses of up to \(duration($0))" }
    guard let intervalMilliseconds else { return pauses }
    if let pauses,
      isBurst(intervalMilliseconds: intervalMilliseconds, rhythmMilliseconds: rhythmMilliseconds)
    {
      return "in bursts, \(pauses)"
    }
    return "every \(duration(intervalMilliseconds))"
  }

  static func isBurst(intervalMilliseconds: UInt32, rhythmMilliseconds: UInt32?) -> Bool {
    rhythmMilliseconds.map { $0 > pauseMilliseconds && $0 / 5 > intervalMilliseconds } ?? false
  }

  private static func duration(_ milliseconds: UInt32) -> String {
    switch milliseconds {
    case ..<10_000: "\(milliseconds) ms"
    case ..<600_000: "\((milliseconds + 500) / 1000) s"
    case ..<36_000_000: "\((milliseconds + 30_000) / 60_000) min"
    default: "\((milliseconds + 1_800_000) / 3_600_000) h"
    }
  }
}
