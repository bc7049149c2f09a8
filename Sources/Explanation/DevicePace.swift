// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery

/// How often a device sends, in words.
public enum DevicePace {
  /// A pause that is longer than this, and than five intervals, separates bursts.
  private static let pauseMilliseconds: UInt32 = 5000

  /// "every 600 ms", "every 60 s" or "in bursts, every 60 s"; nil while nothing is known.
  public static func text(intervalMilliseconds: UInt32?, rhythmMilliseconds: UInt32?) -> String? {
    let period = rhythmMilliseconds.map { "every \(duration($0))" }
    guard let intervalMilliseconds else { return period }
    if let period,
      isBurst(intervalMilliseconds: intervalMilliseconds, rhythmMilliseconds: rhythmMilliseconds)
    {
      return "in bursts, \(period)"
    }
    return "every \(duration(intervalMilliseconds))"
  }

  /// The same of a device of which one pause was heard, so that the period is not known.
  public static func text(ofOnePause milliseconds: UInt32, isBurst: Bool) -> String {
    "\(isBurst ? "in bursts, " : "")with a pause of \(duration(milliseconds))"
  }

  static func isBurst(intervalMilliseconds: UInt32, rhythmMilliseconds: UInt32?) -> Bool {
    rhythmMilliseconds.map { $0 > pauseMilliseconds && $0 / 5 > intervalMilliseconds } ?? false
  }

  /// A length of time in words: that of a pause as the agent remembers it, which has 11 digits of two and is rounded up.
  public static func duration(_ milliseconds: UInt32) -> String {
    var exponent = UInt64(0)
    var units: UInt64 { (UInt64(milliseconds) + ((1 << exponent) - 1)) >> exponent }
    while units >= 2048 { exponent += 1 }
    return text(units << exponent)
  }

  /// `5.5 s`, `6 s`.
  private static func tenths(_ count: UInt64) -> String {
    count % 10 == 0 ? "\(count / 10) s" : "\(count / 10).\(count % 10) s"
  }

  private static func text(_ milliseconds: UInt64) -> String {
    switch milliseconds {
    case ..<1000: "\(milliseconds) ms"
    case ..<9950: tenths((milliseconds + 50) / 100)
    case ..<599_500: "\((milliseconds + 500) / 1000) s"
    case ..<36_000_000: "\((milliseconds + 30_000) / 60_000) min"
    default: "\((milliseconds + 1_800_000) / 3_600_000) h"
    }
  }
}
