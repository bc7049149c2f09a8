// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
public import Interfaces
import Manifest

/// What an item's gate sees of a device.
public struct GateAnswer: Equatable, Sendable {
  /// What the immediate gate asks for, and how far the device is.
  public struct Immediate: Equatable, Sendable {
    /// The filtered levels that let in, and under which it lets out.
    public let enter: Decibels
    public let leave: Decibels
    /// Readings within the window, and how many are needed.
    public let samples: Int
    public let samplesMin: Int
    public let windowMilliseconds: Int64
    /// Since the device took its presence; nil while the tables have no match.
    public let stateMilliseconds: Int64?
    public let enterDwellMilliseconds: Int64
    public let leaveDwellMilliseconds: Int64
  }

  /// The filtered level; nil without a reading since the device was last silent.
  public let level: Decibels?
  public let pathLoss: Int16?
  /// Readings in the filter, and reports since the device has its row.
  public let readingCount: UInt16
  public let reportCount: UInt32
  /// The interval between samples that was learned from them.
  public let learnedMilliseconds: UInt32?
  /// The longest of its pauses between bursts.
  public let rhythmMilliseconds: UInt32?
  public let silenceMilliseconds: Int64
  /// How long a device may be silent before the item does not match it any longer.
  public let lostMilliseconds: Int64
  /// Nil for items of default range.
  public let immediate: Immediate?

  /// Whether the device sends too seldom for the gate ever to let it in.
  public var isTooSlow: Bool {
    guard let immediate else { return false }
    return GateReading.isTooSlow(
      learnedMilliseconds: learnedMilliseconds, reports: reportCount, samplesMin: immediate.samplesMin,
      windowMilliseconds: immediate.windowMilliseconds)
  }

  /// What to change for a device that sends too seldom. The filter restarts after ``restartMilliseconds``.
  var cureOfSlowness: String {
    (learnedMilliseconds ?? 0) < Self.restartMilliseconds
      ? "lower gate.samples-min or raise gate.sample-window-max-ms"
      : "set gate.samples-min = 1 and gate.enter-dwell-ms = 0"
  }

  /// How long the device was last heard without a pause and what to change, if it is strong enough and that ends before
  /// the gate can let it in. Nil while it goes on for the first time.
  var shortBurst: (milliseconds: Int64, cure: String)? {
    guard let immediate, let level, level.sixteenths + Self.reachSixteenths >= immediate.enter.sixteenths,
      let learnedMilliseconds,
      DevicePace.isBurst(intervalMilliseconds: learnedMilliseconds, rhythmMilliseconds: rhythmMilliseconds)
        || silenceMilliseconds > max(1000, 5 * Int64(learnedMilliseconds))
    else { return nil }
    let milliseconds = max(0, Int64(readingCount) - 1) * Int64(learnedMilliseconds)
    var keys: [GateKey] = []
    if milliseconds < immediate.enterDwellMilliseconds { keys.append(.enterDwell) }
    if readingCount < immediate.samplesMin { keys.append(.samplesMin) }
    let cure = keys.map { "gate.\($0.rawValue)" }.joined(separator: " and ")
    return keys.isEmpty ? nil : (milliseconds, "lower \(cure)")
  }

  private static let restartMilliseconds = GateSettings().silenceMillisecondsMax
  /// The filter stops as far below a level that it rises to.
  private static let reachSixteenths = 3
}

extension GateAnswer {
  init(_ dataPath: borrowing ManifestDataPath, _ view: DeviceView, item: Int, _ match: Match?) {
    let signal = view.device.signal
    let settings = dataPath.pipeline.gate(ofItem: item)
    let reading = dataPath.pipeline.gateReading(at: view.row, item: item)
    let now = Instant(microseconds: view.now.microseconds)
    level = reading.level.map { Decibels(sixteenths: Int($0)) }
    pathLoss = dataPath.pipeline.pathLoss(at: view.row, item: item)
    readingCount = signal.readingCount
    reportCount = view.device.reportCount
    learnedMilliseconds = signal.learnedMilliseconds
    rhythmMilliseconds = view.device.rhythmMilliseconds
    silenceMilliseconds = now.milliseconds(since: view.device.lastSeen)
    lostMilliseconds =
      settings.isImmediate
      ? signal.patience(
        floor: settings.silenceMilliseconds, factor: Int64(settings.patienceFactor),
        ceiling: settings.silenceMillisecondsMax) : view.device.patience(settings)
    immediate =
      settings.isImmediate ? Immediate(reading, state: match.map { now.milliseconds(since: $0.since) }) : nil
  }
}

extension GateAnswer.Immediate {
  fileprivate init(_ reading: GateReading, state: Int64?) {
    enter = Decibels(sixteenths: reading.enter)
    leave = Decibels(sixteenths: reading.leave)
    samples = reading.samples
    samplesMin = reading.samplesMin
    windowMilliseconds = reading.windowMilliseconds
    stateMilliseconds = state
    enterDwellMilliseconds = reading.enterDwellMilliseconds
    leaveDwellMilliseconds = reading.leaveDwellMilliseconds
  }
}
