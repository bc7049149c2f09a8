// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Registry
import Setup
import Testing

@Suite("What is asked of the registry's file")
struct RegistryRequestTests {
  @Test("It is opened first, once")
  func opening() {
    let bench = Workbench(.lights)
    bench.run(milliseconds: 100)
    #expect(bench.registry.requests == [.open])
  }
}
