// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Glibc
import HCI
import Manifest
import TestSupport
import Testing
import VirtualRadio

/// What reports cost while no request is open. The real loop reads them from a packet socket in virtual time, so the
/// figures are exact; `Scripts/bench --agent` counts the same of the program. Twenty devices send the reports in turn,
/// and an item matches five of them.
@Suite("What reports cost")
struct ReportCostTests {
  private struct Cost {
    var wakeUps: Double
    /// Waits, reads (one for each packet, and one that finds no more), and changes of the timer and the epoll set.
    var calls: Double
  }

  @Test("In a quiet room, 20 reports a second cost one wake-up each: one every 50 ms, 10 ms early or late")
  func evenly() {
    var dice = SeededGenerator(seed: 1)
    let times = (1...400).map { Int64($0) * 50_000 + Int64(dice.number(below: 20_001) - 10_000) }
    let cost = measureCost(of: times)
    #expect(cost.wakeUps <= 1.1 && cost.calls <= 4, "\(cost)")
  }

  @Test("Reports that come at random, 20 a second, cost as much, although some come soon after another")
  func atRandom() {
    var dice = SeededGenerator(seed: 1)
    var time = 0.0
    let times = (1...400).map { _ in
      time -= log(Double(dice.number(below: 1 << 20) + 1) / Double(1 << 20)) * 50_000
      return Int64(time)
    }
    let cost = measureCost(of: times)
    #expect(cost.wakeUps <= 1.1 && cost.calls <= 3.5, "\(cost)")
  }

  @Test("In a busy room, the radio is read 50 times a second", arguments: [500, 1000, 5000])
  func manyPerSecond(rate: Int) {
    let times = (1...2 * rate).map { Int64($0) * 1_000_000 / Int64(rate) }
    let cost = measureCost(of: times)
    #expect(cost.wakeUps * Double(rate) <= 55, "\(cost)")
    // Besides the packets: a wait, a read that finds no more, and the timer.
    #expect((cost.calls - 1) * Double(rate) <= 165, "\(cost)")
  }

  /// Sends a report at each of these times, in microseconds.
  private func measureCost(of times: [Int64]) -> Cost {
    let harness = SocketHarness(
      .lights, scene: [], access: .operators, registry: StandInRegistryFile(), run: 1)
    harness.run(milliseconds: 500)
    let start = harness.now
    let packets = times.enumerated().map { index, time in
      (time: Instant(microseconds: start.microseconds + time), bytes: report(of: UInt8(index % 20)))
    }
    let counted = harness.countTurns(for: packets)
    #expect(counted.packets == UInt64(times.count))
    let calls = counted.turns + counted.drains + counted.packets + counted.watchCalls
    return Cost(
      wakeUps: Double(counted.turns) / Double(times.count), calls: Double(calls) / Double(times.count))
  }

  /// A report of one of the devices; every fourth is a bulb.
  private func report(of device: UInt8) -> [UInt8] {
    var layout = LegacyReportLayout()
    layout.address = [device, 0x00, 0x00, 0x00, 0xA1, 0xC4]
    // Flags, and manufacturer data.
    layout.data = [0x02, 0x01, 0x06, 0x04, 0xFF, device % 4 == 0 ? 0xEE : 0xEF, 0x0E, 0x01]
    return reportEvent(0x02, [layout.bytes])
  }
}
