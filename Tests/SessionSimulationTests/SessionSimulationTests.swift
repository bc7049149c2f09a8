// SPDX-License-Identifier: GPL-3.0-or-later

import SessionSimulation
import Testing

/// Session clients and the real agent. Scripts/steps/simulate-sessions runs many more seeds.
@Suite struct SessionSimulationTests {
  @Test func `no rule is broken, and one seed is one run`() throws {
    let outcome = try SessionSimulation(seed: 3).run()
    #expect(try SessionSimulation(seed: 3).run() == outcome)
    #expect(outcome["event 10"] == 2 && outcome["event 11"] == 2)
  }

  @Test(arguments: SessionTampering.allCases)
  func `each falsified delivery is noticed`(_ tampering: SessionTampering) {
    for seed in 1...40 as ClosedRange<UInt64> {
      do throws(BrokenRule) {
        _ = try SessionSimulation(seed: seed, tampering: tampering).run()
      } catch {
        #expect(!error.sentence.isEmpty)
        return
      }
    }
    Issue.record("\(tampering) was not noticed")
  }
}
