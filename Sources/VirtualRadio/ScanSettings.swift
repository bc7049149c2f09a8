// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// How the controller in a scene scans and reports.
public struct ScanSettings: Equatable, Sendable {
  /// Active scanning asks scannable advertisers for their scan responses.
  public var isActive = true
  /// Extended scanning hears all sets and reports in extended events; legacy scanning hears legacy PDUs only.
  public var isExtended = false
  public var schedule = ScanSchedule.continuous
  /// How the coded PHY is scanned in extended scanning; nil does it beside 1M, as 1M is, with a receiver of its own.
  public var coded: PHYScan?
  /// In how many of a thousand cases a report that follows another within `batchMicroseconds` joins its event.
  public var batchPerMille = 200
  public var batchMicroseconds: Int64 = 2000
  /// An event leaves only when nothing can join it any more, so that what is heard does not depend on how often the
  /// listener asks.
  public var holdsEvents = false

  public init() {}

  /// Hears nothing.
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

  /// The channel that is heard on a primary PHY at `time`, or nil when the receiver is off or busy with the other PHY:
  /// one receiver takes turns when both windows are open.
  func channel(on phy: PHY, at time: Instant) -> AdvertisingChannel? {
    guard let coded else { return schedule.channel(at: time) }
    let channels = (schedule.channel(at: time), coded.schedule.channel(at: time))
    let isTaken = channels.0 != nil && channels.1 != nil && schedule.isOddTurn(at: time) != (phy == .coded)
    return isTaken ? nil : phy == .coded ? channels.1 : channels.0
  }
}

extension Advertising {
  /// Where its first packet is sent.
  var primaryPHY: PHY {
    switch self {
    case .legacy, .directed: .le1M
    case .extended(let set): set.primaryPHY
    }
  }
}
