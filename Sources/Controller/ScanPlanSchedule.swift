// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

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
