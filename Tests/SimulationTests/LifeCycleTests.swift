// SPDX-License-Identifier: GPL-3.0-or-later

import AgentSimulation
import Testing

@Suite("The simulation of apps, operators, a disk and power cuts")
struct LifeCycleTests {
  private func live(
    _ seed: UInt64, _ tampering: LifeTampering? = nil
  ) throws(Simulation.Failure) -> Simulation.Outcome {
    try LifeCycle(seed: seed, tampering: tampering).run()
  }

  @Test("No rule is broken, and one seed is one run, byte for byte", arguments: [1, 2] as [UInt64])
  func determinism(seed: UInt64) throws {
    #expect(try live(seed) == live(seed))
  }

  @Test("A few runs have enough commits and replies for a broken rule to show")
  func substance() throws {
    let outcomes = try (10...15 as ClosedRange<UInt64>).map { seed in try live(seed) }
    #expect(outcomes.map(\.events).reduce(0, +) > 15)
    #expect(outcomes.map(\.replies).reduce(0, +) > 1000)
  }

  @Test("Each falsified message or disk is caught", arguments: LifeTampering.allCases)
  func canary(tampering: LifeTampering) {
    for seed in 1...60 as ClosedRange<UInt64> {
      do throws(Simulation.Failure) {
        _ = try live(seed, tampering)
      } catch {
        #expect(tampering.rules.contains(error.breach.rule), "seed \(seed): \(error.breach)")
        return
      }
    }
    Issue.record("\(tampering) was not caught")
  }
}
