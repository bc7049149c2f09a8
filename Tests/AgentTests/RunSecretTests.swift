// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Testing

@testable import Agent
@testable import Manifest

@Suite("Secrets of a run")
struct RunSecretTests {
  @Test(
    "Each run of the agent hashes addresses and keys with another multiplier, and none with that of replays")
  func hashKeys() {
    let keys = (1...3).map { AgentHarness(.lights, run: $0).agent.dataPath.hashKey }
    #expect(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2])
    #expect(!keys.contains(.replay))
  }
}
