// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What the immediate gate of one item sees of one device, for people who ask why. Levels are Q4: sixteenths of a
/// decibel.
public struct GateReading: Equatable, Sendable, BitwiseCopyable {
  /// The filtered level; nil without a reading since the device was last silent.
  public var level: Int16?
  /// The filtered level at or above which the device may enter.
  public var enter: Int
  /// The filtered level below which the device, once inside, starts to leave.
  public var leave: Int
  /// Readings within the window, and how many are needed.
  public var samples: Int
  public var samplesMin: Int
  public var windowMilliseconds: Int64
  /// How long the level must stay high enough to enter, and low enough to leave.
  public var enterDwellMilliseconds: Int64
  public var leaveDwellMilliseconds: Int64
  /// When the device counts as silent.
  public var silenceEnd: Instant
}

extension Pipeline {
  /// What an item's gate sees of the device in a row at the time of the latest input.
  public func gateReading(at row: Int, item: Int) -> GateReading {
    let settings = gates[item]
    let device = devices[row]
    let claimed = device.claimedTxPower == ReportHeader.noTxPower ? nil : device.claimedTxPower
    let thresholds = Gate.thresholds(settings, claimedTxPower: claimed)
    let window = device.signal.patience(
      floor: settings.sampleWindowMilliseconds, factor: 4, ceiling: settings.sampleWindowMillisecondsMax)
    return GateReading(
      level: device.signal.readingCount == 0 ? nil : device.signal.level,
      enter: thresholds.enter, leave: thresholds.leave,
      samples: device.signal.readings(within: window, at: clock), samplesMin: Int(settings.samplesMin),
      windowMilliseconds: window, enterDwellMilliseconds: Int64(settings.enterDwellMilliseconds),
      leaveDwellMilliseconds: Int64(settings.leaveDwellMilliseconds),
      silenceEnd: Gate.silenceEnd(device.signal, settings))
  }

  /// The time before which nothing is due; nil when nothing will be without further input.
  public var nextDeadline: Instant? { deadlines.first?.time }
}
