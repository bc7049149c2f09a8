// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// One advertiser: a row of the device table.
public struct Device: Sendable, BitwiseCopyable {
  /// The address of the last report; a resolvable private one changes while the row stays.
  public internal(set) var address = DeviceAddress(bits: 0, type: .public)
  /// Index of the identity key that resolved the address, or -1.
  public internal(set) var identity: Int16 = -1
  /// Whether the row is in use.
  public internal(set) var isLive = false
  /// Whether the device belongs to an accessory, which keeps it from eviction.
  public internal(set) var isAccessory = false
  public internal(set) var firstSeen = Instant(microseconds: 0)
  public internal(set) var lastSeen = Instant(microseconds: 0)
  /// Reports of the device since its row exists.
  public internal(set) var reportCount: UInt32 = 0
  /// RSSI of the last report as received, or ``ReportHeader/noRSSI``.
  public internal(set) var rssi: Int8 = ReportHeader.noRSSI
  public internal(set) var signal = Signal()
  /// How strong it was in the last ten seconds.
  public internal(set) var levels = LevelHistory(appeared: Instant(microseconds: 0))
  /// By how much in Q4 the device was stronger than the weakest of an item that turned it away.
  var turnedAwayLead = Int16.min
  /// Items that match and are kept.
  public internal(set) var matchCount: UInt8 = 0
  /// Items that match beyond the capacity of 8.
  public internal(set) var unkeptMatches: UInt16 = 0
  /// The advertising set heard last, the head of the row's chain of sets; -1 before the first.
  var newestSet: Int32 = -1
  /// Transmit power that the advertiser claims, within -40...20 dBm, or ``ReportHeader/noTxPower``.
  public internal(set) var claimedTxPower: Int8 = ReportHeader.noTxPower

  init() {}

  /// Takes a report's time and level.
  @inline(__always)
  mutating func hear(_ report: HeardReport, reading: Int8?, at now: Instant) -> Signal.Intake {
    lastSeen = now
    reportCount &+= 1
    rssi = report.rssi
    let intake = signal.add(
      reading: reading, isResponse: report.isResponse, isFollowing: matchCount > 0, at: now)
    if matchCount > 0, reading != nil { levels.note(signal.level, at: now) }
    return intake
  }

  /// Whether the last reading is old enough for the filter to restart, if the learned interval agrees.
  @inline(__always)
  func wasSilent(at now: Instant) -> Bool {
    now.microseconds &- signal.lastReading.microseconds >= 5_000_000
  }

  /// The higher of two claims of a transmit power; only -40...20 dBm are believed.
  static func believableTxPower(_ first: Int8, _ second: Int8) -> Int8 {
    let range: ClosedRange<Int8> = -40...20
    switch (range.contains(first), range.contains(second)) {
    case (true, true): return max(first, second)
    case (true, false): return first
    case (false, true): return second
    case (false, false): return ReportHeader.noTxPower
    }
  }
}
