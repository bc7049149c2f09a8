// SPDX-License-Identifier: GPL-3.0-or-later

/// How one PHY is scanned.
public struct PHYScan: Equatable, Sendable, BitwiseCopyable {
  /// Active scanning asks scannable advertisers for their scan responses.
  public var isActive: Bool
  public var schedule: ScanSchedule

  public init(isActive: Bool, schedule: ScanSchedule) {
    self.isActive = isActive
    self.schedule = schedule
  }

  /// Hears nothing.
  public static var off: Self { Self(isActive: false, schedule: .silent) }
}
