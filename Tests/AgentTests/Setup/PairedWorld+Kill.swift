// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
@testable import Agent
import Manifest
@testable import Pairing
import Registry
import Setup

/// Agents that are killed while a device is paired through bluetoothd.
extension PairedWorld {
  /// What a killed agent leaves.
  private struct Remains {
    let registry: AccessoryRegistry
    let bonded: [Bool]
  }

  /// Runs the world with a disk and a bluetoothd that work but are slow, and kills an agent at each moment at which no
  /// reply to `Pair` is awaited. Returns after how many of the kills the next run left a bond that its registry lacks, or
  /// lost one, and how many kills there were.
  func wrongRunsAfterKills() -> (wrong: Int, all: Int) {
    var delays = WorldRandom(random.next(.max))
    harness.bluetoothdMessages.delay = { Int64(delays.next(700)) }
    var (wrong, all) = (0, 0)
    var last: Remains?
    for _ in 0..<40 {
      stirUp()
      for _ in 0..<50 {
        harness.run(milliseconds: 20)
        let remains = Remains(
          registry: harness.registry.saved, bonded: harness.bluetoothd?.devices.map(\.isBonded) ?? [])
        guard harness.agent.pairing.bluetoothd.attempt?.pairCall == nil,
          remains.bonded != last?.bonded || remains.registry != last?.registry
        else { continue }
        last = remains
        all += 1
        if isNextRunWrong(after: remains) { wrong += 1 }
      }
    }
    return (wrong, all)
  }

  private func isNextRunWrong(after remains: Remains) -> Bool {
    let next = AgentHarness(
      harness.agent.configuration.manifest, access: .twoApps, registry: StandInRegistryFile(remains.registry),
      run: 2)
    next.pairingKernel = ModelKernel()
    next.kernel = StandInKernel()
    var bluetoothd = harness.bluetoothd
    // The bus ends the connection of a program that is gone.
    bluetoothd?.loseClient()
    next.bluetoothd = bluetoothd
    next.radioComes(as: .sharedAdapter(index: ModelKernel.index))
    next.run(milliseconds: 10_000)
    return next.isBluetoothdUnlikeRegistry || !next.setupCore.registry.bondRemovals.isEmpty
  }
}
