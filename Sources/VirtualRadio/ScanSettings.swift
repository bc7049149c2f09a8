// SPDX-License-Identifier: GPL-3.0-or-later

/// How the controller in a room scans and reports.
public struct ScanSettings: Equatable, Sendable {
  /// Active scanning asks scannable advertisers for their scan responses.
  public var isActive = true
  /// Extended scanning hears all sets and PHYs and reports in extended events; legacy scanning hears legacy PDUs
  /// only.
  public var isExtended = false
  public var schedule = ScanSchedule.continuous
  /// In how many of a thousand cases a report that follows another within `batchMicroseconds` joins its event.
  public var batchPerMille = 200
  public var batchMicroseconds: Int64 = 2000

  public init() {}

  func hears(_ advertising: Advertising) -> Bool {
    switch advertising {
    case .legacy, .directed: true
    case .extended: isExtended
    }
  }
}
