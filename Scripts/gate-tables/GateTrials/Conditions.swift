// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
public import VirtualRadio

/// The radio conditions of a device and its gateway; by default those of the published guarantee.
public struct Conditions: Sendable {
  public var sigmaTenths = 40
  public var lossPerMille = 0
  public var dutyPercent = 100
  public var advertisingMilliseconds = 100
  public var channelOffsetsTenths = SignalModel.ChannelOffsets()
  public var fades = SignalModel.Fades.none
  /// By how many dB the adapter's levels are higher than calibrated.
  public var calibrationError = 0

  public init() {}

  /// Milliseconds from the first report to entering, for a device that appears at `level` dBm.
  public func whenFirstSeen(at level: Int = -40, seeds: Range<UInt64>) -> Latencies {
    let trial = trial(.steady(level + calibrationError), seconds: 30)
    return latencies(of: trial, seeds) { $0.firstHeard }
  }

  /// Milliseconds from the move to entering, for a device that suddenly moves from -75 dBm to `level`.
  public func whenMovedIn(to level: Int = -40, seeds: Range<UInt64>) -> Latencies {
    let path = SignalPath([
      .init(seconds: 0, level: -75 + calibrationError), .init(seconds: 10, level: -75 + calibrationError),
      .init(seconds: 10, level: level + calibrationError),
    ])
    var trial = trial(path, seconds: 40)
    trial.arrival = Instant(microseconds: 10_000_000)
    return latencies(of: trial, seeds) { _ in trial.arrival }
  }

  /// The number of seeds with which a device that stays at `level` dBm enters within ten minutes.
  public func falseEntries(at level: Int = -57, seeds: Range<UInt64>) -> Int {
    let trial = trial(.steady(level + calibrationError), seconds: 600)
    return seeds.reduce(0) { $0 + (trial.run(seed: $1).entered == nil ? 0 : 1) }
  }

  /// Milliseconds from entering to the grant, for a device that moves from -75 dBm to `level` while an app waits for a
  /// touch.
  public func whenTouched(at level: Int = -40, isCalibrated: Bool, seeds: Range<UInt64>) -> Latencies {
    let path = SignalPath([
      .init(seconds: 0, level: -75 + calibrationError), .init(seconds: 10, level: -75 + calibrationError),
      .init(seconds: 10, level: level + calibrationError),
    ])
    var trial = trial(path, seconds: 40)
    trial.requestOpens = Instant(microseconds: 5_000_000)
    trial.isCalibrated = isCalibrated
    let times = seeds.compactMap { seed -> Int? in
      let outcome = trial.run(seed: seed)
      guard let entered = outcome.entered, let granted = outcome.granted else { return nil }
      return Int(granted.milliseconds(since: entered))
    }
    return Latencies(milliseconds: times, count: seeds.count)
  }

  /// The number of seeds with which a device that stays at `level` dBm, and that was not seen before the request
  /// opened, is chosen by touch within ten minutes.
  public func falseTouches(at level: Int = -57, isCalibrated: Bool, seeds: Range<UInt64>) -> Int {
    var trial = trial(.steady(level + calibrationError), seconds: 600)
    trial.requestOpens = Instant(microseconds: 0)
    trial.isCalibrated = isCalibrated
    return seeds.reduce(0) { $0 + (trial.run(seed: $1).granted == nil ? 0 : 1) }
  }

  private func trial(_ path: SignalPath, seconds: Int) -> GateTrial {
    let model = SignalModel(
      path, sigmaTenths: sigmaTenths, channelOffsetsTenths: channelOffsetsTenths, fades: fades,
      lossPerMille: lossPerMille)
    var trial = GateTrial(model, milliseconds: 1000 * seconds)
    trial.advertisingMilliseconds = advertisingMilliseconds
    if dutyPercent < 100 { trial.schedule = .duty(percent: dutyPercent) }
    return trial
  }

  private func latencies(
    of trial: GateTrial, _ seeds: Range<UInt64>, since start: (GateTrial.Outcome) -> Instant?
  ) -> Latencies {
    let times = seeds.compactMap { seed -> Int? in
      let outcome = trial.run(seed: seed)
      guard let entered = outcome.entered, let start = start(outcome) else { return nil }
      return Int(entered.milliseconds(since: start))
    }
    return Latencies(milliseconds: times, count: seeds.count)
  }
}
