// SPDX-License-Identifier: GPL-3.0-or-later

import AgentRuntime
import Testing

@Suite("The version")
struct AgentVersionTests {
  @Test("It has three numbers")
  func hasThreeNumbers() { #expect(AgentVersion.text.split(separator: ".").count == 3) }
}
