// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Registry
import Setup
import Testing

@Suite("Requests to the registry's file")
struct RegistryRequestTests {
  @Test("The file is opened first, and once")
  func opening() {
    let harness = AgentHarness(.lights, after: 100)
    #expect(harness.registry.requests == [.open])
  }
}
