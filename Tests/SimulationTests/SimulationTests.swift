// SPDX-License-Identifier: GPL-3.0-or-later

import AgentSimulation
import Testing

@Suite("The agent, simulated")
struct SimulationTests {
  private func run(_ seed: UInt64, _ tampering: Tampering? = nil) throws(Simulation.Failure)
    -> Simulation.Outcome
  {
    let simulation = Simulation(seed: seed, tampering: tampering)
    return try simulation.run()
  }

  @Test("No rule is broken, and one seed is one run, byte for byte")
  func determinism() throws {
    let outcomes = [try run(1), try run(1)]
    #expect(outcomes[0] == outcomes[1])
    #expect(try run(101).digest != outcomes[0].digest)
  }

  /// Each way of breaking the agent, with the rules of which at least one must catch it, and the first seed to try.
  static let canaries: [(Tampering, Set<Breach.Rule>, UInt64)] = [
    (.dropsAnEvent, [.lostCount, .missingEvent], 1),
    (.doublesAnEvent, [.lostCount], 1),
    (.sendsToUnauthorizedClient, [.unaskedReply], 1),
    (.losesAReply, [.unansweredCall, .wrongReply, .unaskedReply], 15),
    (.raisesLevels, [.enterWithoutCrossing, .unexplainedEvent, .lostCount], 6),
    (.dropsPackets, [.missingEvent, .unexplainedEvent, .lostCount], 11),
    (.dropsANetworkEvent, [.missingEvent, .unexplainedEvent, .lostCount], 1),
    (.forgetsScans, [.missingEvent, .unexplainedEvent], 1),
    (.damagesRecords, [.lostCount], 1),
    (.dropsRecords, [.lostCount], 1),
  ]

  @Test("An agent that is broken on purpose is caught", arguments: canaries)
  func canary(tampering: Tampering, rules: Set<Breach.Rule>, first: UInt64) {
    for seed in first..<first + 60 {
      do throws(Simulation.Failure) {
        _ = try run(seed, tampering)
      } catch {
        #expect(rules.contains(error.breach.rule), "seed \(seed): \(error.breach)")
        return
      }
    }
    Issue.record("\(tampering) was not caught")
  }
}
