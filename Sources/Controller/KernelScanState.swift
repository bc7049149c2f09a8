// SPDX-License-Identifier: GPL-3.0-or-later

/// What a scan leaves in an adapter when it is not ended: nobody else takes it back.
public struct KernelScanState: Equatable, Sendable {
  /// Our advertisement monitor, for which the kernel scans.
  public var monitor: UInt16?
  /// How the kernel scanned for monitors before we changed it.
  public var originalDuty: KernelDuty?
  /// How the kernel scanned while it discovered, likewise.
  public var originalDiscovery: KernelDuty?
  /// The adapter was up before it was taken for us alone.
  public var wasUp: Bool

  public init(
    monitor: UInt16? = nil, originalDuty: KernelDuty? = nil, originalDiscovery: KernelDuty? = nil,
    wasUp: Bool = false
  ) {
    self.monitor = monitor
    self.originalDuty = originalDuty
    self.originalDiscovery = originalDiscovery
    self.wasUp = wasUp
  }

  public var isEmpty: Bool { self == KernelScanState() }
}
