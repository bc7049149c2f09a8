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

  @Test("No rule is broken, and one seed is one run, byte for byte", arguments: [1, 2, 3] as [UInt64])
  func determinism(seed: UInt64) throws {
    let outcomes = [try run(seed), try run(seed)]
    #expect(outcomes[0] == outcomes[1])
    #expect(try run(seed + 100).digest != outcomes[0].digest)
  }

  @Test("A few runs have enough events, replies and packets for a broken rule to show")
  func substance() throws {
    let outcomes = try (10...20 as ClosedRange<UInt64>).map { seed in try run(seed) }
    #expect(outcomes.map(\.events).reduce(0, +) > 200)
    #expect(outcomes.map(\.replies).reduce(0, +) > 1000)
    #expect(outcomes.map(\.packets).reduce(0, +) > 2000)
  }

  /// Each way of breaking the agent, with the rules of which at least one must catch it.
  static let canaries: [(Tampering, Set<Breach.Rule>)] = [
    (.dropsAnEvent, [.lostCount, .missingEvent]),
    (.doublesAnEvent, [.lostCount]),
    (.sendsToUnauthorizedClient, [.unaskedReply]),
    (.losesAReply, [.unansweredCall, .wrongReply, .unaskedReply]),
    (.raisesLevels, [.enterWithoutCrossing, .unexplainedEvent]),
    (.dropsPackets, [.missingEvent, .unexplainedEvent]),
    (.dropsANetworkEvent, [.missingEvent, .unexplainedEvent, .lostCount]),
    (.forgetsScans, [.missingEvent, .unexplainedEvent]),
  ]

  @Test("An agent that is broken on purpose is caught", arguments: canaries)
  func canary(tampering: Tampering, rules: Set<Breach.Rule>) {
    for seed in 1...60 as ClosedRange<UInt64> {
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
