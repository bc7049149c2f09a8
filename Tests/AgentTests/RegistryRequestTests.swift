// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Registry
import Setup
import Testing

@Suite("What is asked of the registry's file")
struct RegistryRequestTests {
  @Test("It is opened first, once")
  func opening() {
    let harness = AgentHarness(.lights)
    harness.run(milliseconds: 100)
    #expect(harness.registry.requests == [.open])
  }
}
