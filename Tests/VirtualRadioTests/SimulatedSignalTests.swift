// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

@Suite struct SimulatedSignalTests {
  /// 20,000 readings at a deviation of 4 dB: the mean's standard error is 0.028 dB, the deviation's 0.02 dB.
  /// Rounding to whole dBm adds a variance of 1/12, which makes 4.01 of 4.
  @Test func meanAndDeviationAreTheModels() {
    let statistics = Statistics(of: SignalModel(.steady(-63), sigmaTenths: 40))
    #expect(abs(statistics.mean + 63) < 0.12)
    #expect(abs(statistics.deviation - 4.01) < 0.1)
  }

  @Test func withoutNoiseTheLevelFollowsThePath() {
    var signal = SimulatedSignal(SignalModel(.walk, sigmaTenths: 0), dice: SeededGenerator(seed: 1))
    let levels = [0, 1000, 1500, 2000, 9000].map {
      signal.level(at: Instant(microseconds: $0 * 1000), channel: .first)
    }
    #expect(levels == [-75, -75, -56, -38, -38])
  }

  @Test func eachChannelHasItsOffset() {
    let model = SignalModel(
      .steady(-60), sigmaTenths: 0, channelOffsetsTenths: SignalModel.ChannelOffsets(30, 0, -50))
    var signal = SimulatedSignal(model, dice: SeededGenerator(seed: 1))
    let time = Instant(microseconds: 0)
    #expect(AdvertisingChannel.allCases.map { signal.level(at: time, channel: $0) } == [-57, -60, -65])
  }

  @Test func aFadeLowersTheLevelByItsDepthForItsTime() {
    let fades = SignalModel.Fades(startsPerMille: 1000, depthTenths: 200, milliseconds: 100)
    var signal = SimulatedSignal(
      SignalModel(.steady(-60), sigmaTenths: 0, fades: fades), dice: SeededGenerator(seed: 1))
    #expect(signal.level(at: Instant(microseconds: 0), channel: .first) == -80)
  }

  /// A fade of 500 ms that starts with 2 % of packets 105 ms apart covers 1 - 0.98^5 = 9.6 % of them.
  @Test func fadesCoverTheExpectedShareOfPackets() {
    let fades = SignalModel.Fades(startsPerMille: 20, depthTenths: 200, milliseconds: 500)
    let model = SignalModel(.steady(-60), sigmaTenths: 0, fades: fades)
    let faded = SignalTrace(model, milliseconds: 2_000_000, seed: 9).filter { $0.rssi == -80 }.count
    #expect((1500...2100).contains(faded))
  }

  @Test func levelsStayInTheRangeOfAController() {
    for (mean, expected) in [(-300, Int8(-127)), (90, 20)] {
      var signal = SimulatedSignal(SignalModel(.steady(mean)), dice: SeededGenerator(seed: 1))
      #expect(signal.level(at: Instant(microseconds: 0), channel: .second) == expected)
    }
  }

  private struct Statistics {
    var mean = 0.0
    var deviation = 0.0

    init(of model: SignalModel) {
      let readings = SignalTrace(model, milliseconds: 2_100_000, seed: 7).compactMap(\.rssi).map(Double.init)
      mean = readings.reduce(0, +) / Double(readings.count)
      deviation = (readings.reduce(0) { $0 + $1 * $1 } / Double(readings.count) - mean * mean).squareRoot()
    }
  }
}

extension SignalPath {
  /// From -75 dBm to -38 dBm between the first and the second second.
  static var walk: Self { Self([Point(seconds: 1, level: -75), Point(seconds: 2, level: -38)]) }
}
