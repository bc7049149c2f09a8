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
  mutating func hear(_ header: Heard, reading: Int8?, at now: Instant) -> Signal.Intake {
    lastSeen = now
    reportCount &+= 1
    rssi = header.rssi
    return signal.take(
      reading: reading, isResponse: header.properties.contains(.scanResponse), isFollowing: matchCount > 0,
      at: now)
  }

  /// Whether the last reading is old enough for the filter to start anew, if the learned interval agrees.
  @inline(__always)
  func wasSilent(at now: Instant) -> Bool {
    now.microseconds &- signal.lastReading.microseconds >= 5_000_000
  }
}

/// Where an item stands with a device. Items without a gate go from `outside` to `inside` with the match itself.
public enum Presence: UInt8, Sendable, BitwiseCopyable {
  /// The gate is not passed; nothing was reported.
  case outside
  /// The level is high enough, but not yet for long enough or on enough readings.
  case approaching
  /// Found.
  case inside
  /// Found, and the level has sunk under the leave threshold.
  case leaving

  /// Whether the item counts as found.
  public var isFound: Bool { self == .inside || self == .leaving }
}

/// One item that matches a device.
public struct Match: Sendable, BitwiseCopyable {
  public internal(set) var item: Int32 = -1
  public private(set) var presence = Presence.outside
  /// When `presence` took its value.
  public private(set) var since = Instant(microseconds: 0)
  /// Advertising sets whose payload matches, by ``AdvertisingSet/place(of:)``.
  var sets: UInt32 = 0
  /// When the payload was last reported.
  var reported = Instant(microseconds: 0)
  /// The payload changed and is to be reported a second after `reported`.
  var changeIsPending = false

  init() {}

  /// Whether the item counts as found.
  public var isFound: Bool { presence.isFound }

  /// The one place where presence changes.
  mutating func become(_ presence: Presence, at now: Instant) {
    self.presence = presence
    since = now
    switch presence {
    case .outside, .approaching: changeIsPending = false
    case .inside, .leaving: break
    }
  }
}

/// One advertising set of a device: its latest advertising data and its latest scan response.
struct AdvertisingSet: BitwiseCopyable {
  /// Set id 0...15, or ``ReportHeader/noAdvertisingSID``.
  var advertisingSID: UInt8 = ReportHeader.noAdvertisingSID
  /// The device's next set, or the next free one; -1 at the end.
  var next: Int32 = -1
  /// The device; means nothing while the set is free.
  var row: Int32 = -1
  var lastSeen = Instant(microseconds: 0)
  var data = StoredPayload()
  var response = StoredPayload()
  /// The matches of this payload are known; an unchanged payload need not be parsed.
  var isEvaluated = false {
    didSet {
      statedTxPower = Pipeline.believable(
        ReportHeader.noTxPower, evaluation.txPower ?? ReportHeader.noTxPower)
      data.setQuiet(isEvaluated && !evaluation.isMalformed)
      response.setQuiet(isEvaluated && !evaluation.isMalformed)
    }
  }
  /// The transmit power that a report claims by repeating this payload.
  private(set) var statedTxPower = ReportHeader.noTxPower
  /// Losses of the payload, counted again with each report that repeats it.
  var evaluation = Evaluation()

  /// Whether a report repeats what it should: the same octets, inline, about which everything is known, their
  /// transmit power being the one that is `claimed`.
  @inline(__always)
  mutating func repeats(
    _ payload: RawSpan, _ header: Heard, claimed: Int8, of set: Int, in bytes: PayloadBytes, at now: Instant
  ) -> Bool {
    let isResponse = header.properties.contains(.scanResponse)
    let stored = isResponse ? response : data
    let part: PayloadPart = isResponse ? .response : .data
    guard payload.byteCount == Int(stored.quietByteCount), claimed == statedTxPower,
      bytes.inlinePayload(part, of: set, byteCount: payload.byteCount).equals(payload)
    else { return false }
    lastSeen = now
    return true
  }

  /// The set's bit in ``Match/sets``: 0...15 by set id, 16 for the set without one.
  var bit: UInt32 {
    advertisingSID == ReportHeader.noAdvertisingSID ? 1 << 16 : 1 << UInt32(advertisingSID & 15)
  }
}

/// Where a payload lies: up to 31 octets inline, longer ones in a slot of the pool.
struct StoredPayload: BitwiseCopyable {
  var byteCount: UInt16 = 0
  /// The length of a payload that lies inline, and whose repetition says nothing but a level; else -1.
  private(set) var quietByteCount: Int16 = -1
  var slot: Int32 = -1

  mutating func setQuiet(_ isQuiet: Bool) {
    quietByteCount = isQuiet && slot < 0 ? Int16(truncatingIfNeeded: byteCount) : -1
  }
}
