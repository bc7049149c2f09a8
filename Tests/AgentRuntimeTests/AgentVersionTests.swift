// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AgentRuntime
import Testing

@Suite("The version")
struct AgentVersionTests {
  @Test("It has three numbers")
  func hasThreeNumbers() { #expect(AgentVersion.text.split(separator: ".").count == 3) }

  @Test("Epoch and secret of a run are drawn anew")
  func random() {
    #expect(AgentProgram.randomBlock() != AgentProgram.randomBlock())
  }
}
