// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// One advertiser: a row of the device table.
public struct Device: Sendable, BitwiseCopyable {
  /// The address of the last report; a resolvable private one changes while the row stays.
  public internal(set) var address = DeviceAddress(bits: 0, type: .public)
  public internal(set) var firstSeen = Instant(microseconds: 0)
  public internal(set) var lastSeen = Instant(microseconds: 0)
  public internal(set) var signal = Signal()
  /// How strong it was in the last ten seconds.
  public internal(set) var levels = LevelHistory(appeared: Instant(microseconds: 0))
  /// Reports of the device since its row exists.
  public internal(set) var reportCount: UInt32 = 0
  /// The advertising set heard last, the head of the row's chain of sets; -1 before the first.
  var newestSet: Int32 = -1
  /// Index of the identity key that resolved the address, or -1.
  public internal(set) var identity: Int16 = -1
  /// Items that match beyond the capacity of 8.
  public internal(set) var unkeptMatches: UInt16 = 0
  /// Items that match and are kept.
  public internal(set) var matchCount: UInt8 = 0
  /// Whether the row is in use.
  public internal(set) var isLive = false
  /// Whether the device belongs to an accessory, which keeps it from eviction.
  public internal(set) var isAccessory = false
  /// RSSI of the last report as received, or ``ReportHeader/noRSSI``.
  public internal(set) var rssi: Int8 = ReportHeader.noRSSI
  /// Transmit power that the advertiser claims, within -40...20 dBm, or ``ReportHeader/noTxPower``.
  public internal(set) var claimedTxPower: Int8 = ReportHeader.noTxPower
  /// Whether its last match to end did so in silence: then it had been heard whole, even behind the kernel's filter.
  var wasLostInSilence = false
  var packetNumbers = PacketNumbers()
  /// The streams of reports, by their bits, that want the device's; and those of them that want it as an accessory.
  /// ``ReportBatches/readings`` is one of the bits.
  var streams: UInt16 = 0
  var accessoryStreams: UInt16 = 0

  init() {}

  var isDeadlineEarly: Bool {
    get { signal.isDeadlineEarly }
    set { signal.isDeadlineEarly = newValue }
  }

  /// Takes a report's time and level.
  @inline(__always)
  mutating func hear(_ report: HeardReport, reading: Int8?, at now: Instant) -> Signal.Intake {
    lastSeen = now
    reportCount &+= 1
    rssi = report.rssi
    let intake = signal.add(
      reading: reading, isResponse: report.isResponse, isFollowing: matchCount > 0, at: now)
    if matchCount > 0, intake != .nothing,
      levels.isDue(at: now) || signal.rhythm.isRefreshDue(heardSince: firstSeen, at: now)
    {
      follow(hasReading: reading != nil, at: now)
    }
    return intake
  }

  /// The longest of the device's pauses that count, in milliseconds; nil when none does. Of a device that no item matches,
  /// of the pauses between its last samples.
  public var rhythmMilliseconds: UInt32? {
    let milliseconds = acquainted(since: Instant(microseconds: .min)).signal.rhythm.milliseconds
    return milliseconds > 0 ? milliseconds : nil
  }

  /// The device as an item that begins to match would find it: its rhythm is that of its last samples since `start`.
  func acquainted(since start: Instant) -> Device {
    guard matchCount == 0 else { return self }
    var device = self
    device.learnPauses(since: start)
    return device
  }

  /// The silence time of an item of the default range, in milliseconds: max(`lostMilliseconds`, `patienceFactor` x learned,
  /// k x rhythm + `lostMilliseconds`), at most `lostMillisecondsMax`; and at least 300 s while the rhythm is unknown.
  public func patience(_ gate: GateSettings) -> Int64 {
    let byInterval = signal.patience(
      floor: gate.lostMilliseconds, factor: Int64(gate.patienceFactor), ceiling: gate.lostMillisecondsMax)
    return max(byInterval, patienceByRhythm(gate))
  }

  /// The part of it that the rhythm decides: no silence of the item is shorter. Where the board listens part of the time, so
  /// that a steady device seems to pause, only pauses of a tenth of the stretched 10 s count.
  @inline(__always)
  func patienceByRhythm(_ gate: GateSettings) -> Int64 {
    var patience = Int64(gate.lostMilliseconds)
    if Int64(signal.rhythm.milliseconds) * 10 >= Int64(gate.settlingMilliseconds) {
      patience += signal.rhythm.patience
    }
    if signal.rhythm.isUnknown { patience = max(patience, Rhythm.unknownPatienceMilliseconds) }
    return min(patience, Int64(gate.lostMillisecondsMax))
  }

  /// Whether the last reading is old enough for the filter to restart, if the learned interval agrees.
  @inline(__always)
  func wasSilent(at now: Instant) -> Bool {
    now.microseconds &- signal.lastReading.microseconds >= 5_000_000
  }

  /// Takes a sample into what is kept only while some item matches the device: its rhythm, and how strong it was. The first
  /// sample of a second is enough, for a pause lasts a second or more.
  @inline(never)
  private mutating func follow(hasReading: Bool, at now: Instant) {
    signal.learnPause(since: firstSeen, at: now)
    isDeadlineEarly = false
    guard hasReading, levels.isDue(at: now) else { return }
    levels.note(signal.settleLevel(), at: now)
  }

  /// Lets the rhythm learn the pauses among the last samples, when some item begins to match. Those that began before
  /// `start` teach nothing: the radio was away.
  mutating func learnPauses(since start: Instant) {
    signal.learnPauses(since: start, heardSince: firstSeen, at: lastSeen)
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

/// The packet numbers that a device's frames state: each new one is an event at once.
///
/// At most 20 of a second are; a device that sends more is treated like any other whose frames change.
struct PacketNumbers: BitwiseCopyable, Sendable {
  private static var numbersMax: UInt8 { 20 }

  private var last: UInt8?
  /// How many numbers were new in a second since the start of time.
  private var count: UInt8 = 0
  private var second: UInt32 = 0

  /// Takes the number of a frame. Returns whether it is a new one that is an event at once.
  mutating func takeNumber(_ number: UInt8, at now: Instant) -> Bool {
    guard number != last else { return false }
    last = number
    let present = UInt32(truncatingIfNeeded: now.microseconds / 1_000_000)
    count = present == second ? min(count + 1, Self.numbersMax + 1) : 1
    second = present
    return count <= Self.numbersMax
  }
}
