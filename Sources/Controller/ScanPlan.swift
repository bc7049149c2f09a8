// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// How the agent wants to scan: the manifest's mode, the board's duty, and the needs of open requests.
public struct ScanPlan: Equatable, Sendable {
  /// Whether scanning sends scan requests.
  public enum Mode: Sendable {
    /// Scan requests now and then, while a descriptor needs a scan response.
    case auto
    /// Never a scan request.
    case passive
    /// Scan requests all the time.
    case active
  }

  public var mode = Mode.auto
  public var duty = ScanDuty(windowMilliseconds: 30, intervalMilliseconds: 300)
  /// Whether a descriptor has a clause that may match only a scan response.
  public var needsScanResponses = false
  /// Whether to scan the coded PHY too, if the controller has it. One receiver serves both; each gets half of the
  /// window.
  public var usesCodedPHY = false
  /// Whether to use extended scanning, if the controller has it.
  public var usesExtendedScanning = true
  /// In auto mode: how long to scan actively in each period.
  public var activeMilliseconds: Int64 = 2000
  public var activePeriodMilliseconds: Int64 = 20_000

  public init() {}

  /// Returns whether to scan actively `elapsed` milliseconds after the plan began, and for how long; nil is forever.
  func phase(at elapsed: Int64) -> (isActive: Bool, milliseconds: Int64?) {
    switch mode {
    case .active: return (true, nil)
    case .passive: return (false, nil)
    case .auto:
      guard needsScanResponses else { return (false, nil) }
      let period = max(activePeriodMilliseconds, 1)
      let position = max(elapsed, 0) % period
      guard activeMilliseconds < period else { return (true, nil) }
      let isActive = position < activeMilliseconds
      return (isActive, (isActive ? activeMilliseconds : period) - position)
    }
  }

  /// Interval and window in the specification's units of 625 µs.
  func parameters(_ kind: ScanParameters.Kind) -> ScanParameters {
    let interval = Self.units(duty.intervalMilliseconds)
    return ScanParameters(
      kind, interval: interval, window: min(Self.units(duty.windowMilliseconds), interval))
  }

  /// Returns units of 625 µs, clamped to the range that every controller accepts (Core Specification 5.4, Volume 4,
  /// Part E, 7.8.10).
  private static func units(_ milliseconds: UInt16) -> UInt16 {
    let range = ScanParameters.legacyRange
    return UInt16(min(max(UInt32(milliseconds) * 8 / 5, UInt32(range.lowerBound)), UInt32(range.upperBound)))
  }
}
