// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AgentRuntime
import Testing

@Suite("The agent's program")
struct AgentProgramTests {
  @Test("Epoch and secret of a run are drawn anew")
  func random() {
    #expect(AgentProgram.randomBlock() != AgentProgram.randomBlock())
  }
}
