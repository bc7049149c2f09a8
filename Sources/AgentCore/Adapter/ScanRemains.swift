// SPDX-License-Identifier: GPL-3.0-or-later

/// What a shared scan leaves in the kernel when it is not ended: nobody else takes it back.
public struct ScanRemains: Equatable, Sendable {
  /// Our advertisement monitor, for which the kernel scans.
  public var monitor: UInt16?
  /// How the kernel scanned for monitors before we changed it.
  public var originalDuty: MonitorDuty?

  public init(monitor: UInt16? = nil, originalDuty: MonitorDuty? = nil) {
    self.monitor = monitor
    self.originalDuty = originalDuty
  }

  public var isEmpty: Bool { self == ScanRemains() }
}
