// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import LinuxSystem
import ToolText

/// How fast a capture replays. The lines are the same at every speed.
enum Pace: Equatable {
  /// As fast as possible.
  case unlimited
  /// How many seconds of the capture pass in one second.
  case factor(Double)

  init(parsing argument: String) throws {
    switch argument {
    case "max": self = .unlimited
    case "real": self = .factor(1)
    default:
      guard let factor = Double(argument), factor >= 0.001, factor <= 1_000_000 else {
        throw ValidationError("it takes real, max, or a positive number from 0.001 to 1000000")
      }
      self = .factor(factor)
    }
  }

  /// Rounds, and limits the value to what an `Int64` holds: a capture may claim any time.
  private static func nanoseconds(_ value: Double) -> Int64 { Int64(max(-4e18, min(4e18, value))) }

  /// When something at `time` of a capture is due, for a replay that started at `start`; nil at once.
  func deadline(_ time: Seconds, since start: MonotonicInstant) -> MonotonicInstant? {
    switch self {
    case .unlimited: nil
    case .factor(let factor):
      start.advanced(nanoseconds: Self.nanoseconds(Double(time.microseconds) * 1000 / factor))
    }
  }
}
