// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The readings of one advertiser without any packets, for experiments with the signal gate.
///
/// One element for each advertising event: its time, and the reading or nil when the packet was lost or fell outside
/// the scan window. Iterating allocates nothing.
public struct SignalTrace: Sequence, IteratorProtocol, Sendable {
  /// The outcome of one advertising event.
  public struct Sample: Equatable, Sendable, BitwiseCopyable {
    public let time: Instant
    /// dBm, or nil when the scanner received nothing.
    public let rssi: Int8?
  }

  private var clock: AdvertisingClock
  private var signal: SimulatedSignal
  private let schedule: ScanSchedule
  private let end: Instant

  /// A trace from time 0 to `milliseconds`. `seed` also decides where in its interval the device starts, and where the
  /// scanner starts.
  public init(
    _ model: SignalModel, advertisingMilliseconds: Int = 100, schedule: ScanSchedule = .continuous,
    milliseconds: Int, seed: UInt64
  ) {
    var dice = SeededGenerator(seed: seed, stream: 0)
    var shifted = schedule
    shifted.startMicroseconds -= Int64(dice.number(below: Int(schedule.intervalMicroseconds) * 3))
    self.schedule = shifted
    clock = AdvertisingClock(intervalMilliseconds: advertisingMilliseconds, dice: dice)
    signal = SimulatedSignal(model, dice: SeededGenerator(seed: seed, stream: 1))
    end = Instant(microseconds: Int64(milliseconds) * 1000)
  }

  public mutating func next() -> Sample? {
    guard clock.time < end else { return nil }
    defer { clock.advance() }
    guard let channel = schedule.channel(at: clock.time) else { return Sample(time: clock.time, rssi: nil) }
    return Sample(time: clock.time, rssi: signal.level(at: clock.time, channel: channel))
  }
}
