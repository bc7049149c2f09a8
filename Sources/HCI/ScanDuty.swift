// SPDX-License-Identifier: GPL-3.0-or-later

/// How much of the time an adapter listens.
public struct ScanDuty: Equatable, Sendable {
  /// Listening, of each interval; at most the interval.
  public var windowMilliseconds: UInt16
  /// 3 to 10,240 (Core Specification 5.4, Volume 4, Part E, 7.8.10).
  public var intervalMilliseconds: UInt16

  /// Whether it listens all the time.
  public var isFull: Bool { windowMilliseconds >= intervalMilliseconds }

  /// Listening, in parts of 65,536.
  public var share: UInt32 { UInt32(windowMilliseconds) << 16 / max(UInt32(intervalMilliseconds), 1) }

  public init(windowMilliseconds: UInt16, intervalMilliseconds: UInt16) {
    self.windowMilliseconds = windowMilliseconds
    self.intervalMilliseconds = intervalMilliseconds
  }
}
