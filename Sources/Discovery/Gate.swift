// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The immediate gate: pure rules over one device's signal and one item's settings.
enum Gate {
  /// The effect of a sample.
  enum Verdict { case nothing, entered, startedLeaving }

  /// Levels in Q4 that decide for one device.
  struct Thresholds: Equatable {
    var enter: Int
    var leave: Int
  }

  /// The thresholds of an item for a device that claims a transmit power. The power that the integrator states
  /// replaces levels by path loss; the power that a device claims may only make entering harder, and leaving easier by
  /// as much.
  static func thresholds(_ settings: GateSettings, claimedTxPower: Int8?) -> Thresholds {
    if let power = settings.txPower {
      return Thresholds(
        enter: (Int(power) - Int(settings.enterPathLoss)) << 4,
        leave: (Int(power) - Int(settings.leavePathLoss)) << 4)
    }
    let tightening = max(0, Int(claimedTxPower ?? 0))
    return Thresholds(
      enter: (Int(settings.enterRSSI) + tightening) << 4, leave: (Int(settings.leaveRSSI) + tightening) << 4)
  }

  /// Judges a match after a sample with a reading.
  static func judge(
    _ match: inout Match, _ signal: Signal, _ settings: GateSettings, claimedTxPower: Int8?, at now: Instant
  ) -> Verdict {
    let thresholds = thresholds(settings, claimedTxPower: claimedTxPower)
    let level = Int(signal.level)
    switch match.presence {
    case .outside:
      guard reaches(level, thresholds.enter) else { return .nothing }
      match.setPresence(.approaching, at: now)
      return enter(&match, signal, settings, at: now)
    case .approaching:
      guard reaches(level, thresholds.enter) else {
        match.setPresence(.outside, at: now)
        return .nothing
      }
      return enter(&match, signal, settings, at: now)
    case .inside:
      guard level < thresholds.leave else { return .nothing }
      match.setPresence(.leaving, at: now)
      return .startedLeaving
    case .leaving:
      if level >= thresholds.leave { match.setPresence(.inside, at: now) }
      return .nothing
    }
  }

  /// Whether a level has risen to a threshold. The filter goes a quarter of the way with each reading, rounded down,
  /// and so stops three sixteenths below a level that it rises to.
  static func reaches(_ level: Int, _ threshold: Int) -> Bool { level + 3 >= threshold }

  private static func enter(
    _ match: inout Match, _ signal: Signal, _ settings: GateSettings, at now: Instant
  ) -> Verdict {
    guard now.milliseconds(since: match.since) >= Int64(settings.enterDwellMilliseconds),
      hasEnoughReadings(signal, settings, at: now)
    else { return .nothing }
    match.setPresence(.inside, at: now)
    return .entered
  }

  /// At least `samplesMin` readings within max(window, 4 x the learned interval), up to the window's maximum.
  static func hasEnoughReadings(_ signal: Signal, _ settings: GateSettings, at now: Instant) -> Bool {
    let window = signal.patience(
      floor: settings.sampleWindowMilliseconds, factor: 4, ceiling: settings.sampleWindowMillisecondsMax)
    return signal.readings(within: window, at: now) >= Int(settings.samplesMin)
  }

  /// When a device that is inside has been silent for too long.
  static func silenceEnd(_ signal: Signal, _ settings: GateSettings) -> Instant {
    signal.lastReading.advanced(
      milliseconds: signal.patience(
        floor: settings.silenceMilliseconds, factor: Int64(settings.patienceFactor),
        ceiling: settings.silenceMillisecondsMax))
  }

  /// dB between an item's or the claimed transmit power and the filtered level.
  static func pathLoss(_ device: Device, _ settings: GateSettings) -> Int16? {
    guard let level = device.signal.filteredRSSI else { return nil }
    if let power = settings.txPower { return Int16(power) - Int16(level) }
    guard device.claimedTxPower != ReportHeader.noTxPower else { return nil }
    return Int16(device.claimedTxPower) - Int16(level)
  }
}
