// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

@Suite struct SignalTraceTests {
  private let model = SignalModel(.steady(-60), sigmaTenths: 40)

  @Test func theSameSeedGivesTheSameTraceAndAnotherSeedAnother() {
    let trace = { Array(SignalTrace(model, milliseconds: 10_000, seed: $0)) }
    #expect(trace(5) == trace(5))
    #expect(trace(5) != trace(6))
  }

  /// Recorded once; every machine and every build must produce the same numbers.
  @Test func aSeedsFirstReadingsAreFixed() {
    let readings = SignalTrace(model, milliseconds: 1000, seed: 1).compactMap(\.rssi)
    #expect(readings == [-69, -58, -61, -55, -61, -61, -57, -60, -57])
  }

  @Test func eventsFollowEachOtherByTheIntervalAndAtMostTenMillisecondsMore() {
    let times = SignalTrace(model, milliseconds: 100_000, seed: 3).map(\.time.microseconds)
    for (earlier, later) in zip(times, times.dropFirst()) {
      #expect((100_000...110_000).contains(later - earlier))
    }
    #expect(times.allSatisfy { $0 >= 0 && $0 < 100_000_000 })
  }

  /// The share received of 20,000 events has a standard error below 0.4 %. The events are not independent of each
  /// other, because the phase between device and scanner moves by 5 ms an event; therefore 3 % are allowed.
  @Test(arguments: [10, 30, 60, 100])
  func aScheduleReceivesTheShareOfItsDuty(percent: Int) {
    let trace = SignalTrace(model, schedule: .duty(percent: percent), milliseconds: 2_100_000, seed: 4)
    let (heard, count) = trace.reduce((0, 0)) { ($0.0 + ($1.rssi == nil ? 0 : 1), $0.1 + 1) }
    #expect(abs(heard * 100 - percent * count) <= 3 * count)
  }

  /// 3 standard errors of a share of 25 % in 20,000 are 0.9 %.
  @Test func asManyPacketsAreLostAsTheModelSays() {
    var lossy = model
    lossy.lossPerMille = 250
    let samples = Array(SignalTrace(lossy, milliseconds: 2_100_000, seed: 8))
    let lost = samples.filter { $0.rssi == nil }.count
    #expect(abs(lost * 1000 - 250 * samples.count) < 10 * samples.count)
  }
}
