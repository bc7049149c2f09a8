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

/// The scan settings of a controller: the result of a plan at one time for one controller.
struct ScanTarget: Equatable, Sendable {
  var le1M: ScanParameters
  /// nil does not scan the coded PHY.
  var coded: ScanParameters?
  var isExtended: Bool
  var ownAddress: OwnAddressType

  init(_ plan: ScanPlan, isActive: Bool, on profile: ControllerProfile) {
    isExtended = profile.scansExtended && (plan.usesExtendedScanning || !profile.knowsLegacyScan)
    ownAddress = profile.hasPublicAddress ? .public : .random
    le1M = plan.parameters(isActive ? .active : .passive)
    if plan.usesCodedPHY && isExtended && profile.scansCoded { shareWithCoded() }
  }

  /// Returns the command that enables or disables the scan. Duplicates are never filtered: changed payloads and readings
  /// would be lost.
  func enable(_ isEnabled: Bool) -> CommandPacket {
    isExtended ? .leSetExtendedScanEnable(isEnabled) : .leSetScanEnable(isEnabled)
  }

  var parameters: CommandPacket {
    isExtended
      ? .leSetExtendedScanParameters(le1M: le1M, coded: coded, ownAddress: ownAddress)
      : .leSetScanParameters(le1M, ownAddress: ownAddress)
  }

  /// Gives each PHY half of the window: two windows that exceed the interval make a controller choose.
  private mutating func shareWithCoded() {
    le1M.window = max(le1M.window / 2, ScanParameters.legacyRange.lowerBound)
    coded = le1M
  }
}

/// The plan that a scan follows, and whether it scans actively or passively now.
struct ScanPlanSchedule: Sendable {
  /// nil if no scan is wanted.
  private(set) var plan: ScanPlan?
  private var planStart: Instant
  /// The time when an auto plan changes between active and passive.
  private(set) var phaseEnd: Instant?
  /// Whether the plan wants an active scan, as of the last ``update(at:)``.
  private(set) var isActive = false

  init(_ plan: ScanPlan? = nil, from start: Instant = Instant(microseconds: 0)) {
    self.plan = plan
    planStart = start
  }

  /// Replaces the plan; ``update(at:)`` is the caller's next step.
  mutating func replacePlan(_ plan: ScanPlan?, from start: Instant) {
    self.plan = plan
    planStart = start
  }

  /// Determines the phase of the plan at a time.
  mutating func update(at now: Instant) {
    guard let plan else {
      (phaseEnd, isActive) = (nil, false)
      return
    }
    let phase = plan.phase(at: now.milliseconds(since: planStart))
    phaseEnd = phase.milliseconds.map { now.advanced(milliseconds: $0) }
    isActive = phase.isActive
  }

  /// Forgets when the phase ends, because the scan has failed.
  mutating func suspend() { phaseEnd = nil }
}
