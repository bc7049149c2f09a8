// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// When and where a scanner listens: in a window at the start of each interval, on one of the three advertising
/// channels, which take turns (Core Specification 5.4, Volume 6, Part B, 4.4.3).
public struct ScanSchedule: Equatable, Sendable, BitwiseCopyable {
  public var intervalMicroseconds: Int64
  /// At most the interval; 0 receives nothing.
  public var windowMicroseconds: Int64
  /// The start of the first interval.
  public var startMicroseconds: Int64

  public init(intervalMicroseconds: Int64, windowMicroseconds: Int64, startMicroseconds: Int64 = 0) {
    precondition(intervalMicroseconds > 0 && windowMicroseconds <= intervalMicroseconds)
    self.intervalMicroseconds = intervalMicroseconds
    self.windowMicroseconds = windowMicroseconds
    self.startMicroseconds = startMicroseconds
  }

  /// Always listening, 60 ms on each channel.
  public static var continuous: Self { Self(intervalMicroseconds: 60_000, windowMicroseconds: 60_000) }

  /// Never listening.
  public static var silent: Self { Self(intervalMicroseconds: 60_000, windowMicroseconds: 0) }

  /// An interval of 100 ms, with a window of `percent` of it.
  public static func duty(percent: Int) -> Self {
    Self(intervalMicroseconds: 100_000, windowMicroseconds: Int64(percent) * 1000)
  }

  /// The channel that the scanner listens to at `time`, or nil outside the window.
  public func channel(at time: Instant) -> AdvertisingChannel? {
    let elapsed = time.microseconds &- startMicroseconds
    guard elapsed >= 0 else { return nil }
    let (turn, phase) = elapsed.quotientAndRemainder(dividingBy: intervalMicroseconds)
    guard phase < windowMicroseconds else { return nil }
    switch turn % 3 {
    case 0: return .first
    case 1: return .second
    default: return .third
    }
  }

  /// Whether `time` lies in every second interval.
  func isOddTurn(at time: Instant) -> Bool {
    ((time.microseconds &- startMicroseconds) / intervalMicroseconds) & 1 != 0
  }
}

/// A primary advertising channel (Volume 6, Part B, 1.4.1).
public enum AdvertisingChannel: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case first = 37
  case second = 38
  case third = 39
}
