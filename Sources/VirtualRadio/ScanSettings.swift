// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// How the controller in a scene scans and reports.
public struct ScanSettings: Equatable, Sendable {
  /// Active scanning asks scannable advertisers for their scan responses.
  public var isActive = true
  /// Extended scanning receives all sets and reports in extended events; legacy scanning receives legacy PDUs only.
  public var isExtended = false
  public var schedule = ScanSchedule.continuous
  /// How extended scanning uses the coded PHY; nil scans it like 1M and at the same time, with a second receiver.
  public var coded: PHYScan?
  /// In how many of a thousand cases a report that follows another within `batchMicroseconds` joins the other's event.
  public var batchPerMille = 200
  public var batchMicroseconds: Int64 = 2000
  /// An event is delivered only when no other report can join it any more, so that the packets do not depend on how
  /// often the host reads.
  public var holdsEvents = false

  public init() {}

  /// Receives nothing.
  public static var off: Self {
    var settings = Self()
    settings.schedule = .silent
    return settings
  }

  func hears(_ advertising: Advertising) -> Bool {
    switch advertising {
    case .legacy, .directed: true
    case .extended: isExtended
    }
  }

  func isActive(on phy: PHY) -> Bool { phy == .coded ? coded?.isActive ?? isActive : isActive }

  /// The channel that the scanner listens to on a primary PHY at `time`, or nil when the receiver is off or busy with
  /// the other PHY: one receiver takes turns when both windows are open.
  func channel(on phy: PHY, at time: Instant) -> AdvertisingChannel? {
    guard let coded else { return schedule.channel(at: time) }
    let channels = (schedule.channel(at: time), coded.schedule.channel(at: time))
    let isBusy = channels.0 != nil && channels.1 != nil && schedule.isOddTurn(at: time) != (phy == .coded)
    return isBusy ? nil : phy == .coded ? channels.1 : channels.0
  }
}

/// How the controller scans one PHY.
public struct PHYScan: Equatable, Sendable, BitwiseCopyable {
  /// Active scanning asks scannable advertisers for their scan responses.
  public var isActive: Bool
  public var schedule: ScanSchedule

  public init(isActive: Bool, schedule: ScanSchedule) {
    self.isActive = isActive
    self.schedule = schedule
  }

  /// Receives nothing.
  public static var off: Self { Self(isActive: false, schedule: .silent) }
}
