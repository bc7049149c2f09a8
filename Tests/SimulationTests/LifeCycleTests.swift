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

  @Test("No rule is broken, and one seed is one run, byte for byte")
  func determinism() throws {
    #expect(try live(1) == live(1))
  }

  @Test("Operators give accessories other devices, and apps know them as before")
  func replacements() throws {
    var count = 0
    for seed in 1...30 as ClosedRange<UInt64> where count == 0 {
      let life = LifeCycle(seed: seed)
      _ = try life.run()
      count = life.replacedCount
    }
    #expect(count > 0)
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
