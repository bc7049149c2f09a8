// SPDX-License-Identifier: GPL-3.0-or-later

import AgentService
import Testing
import Varlink

@Suite("The interface for operators")
struct GatewayInterfaceTests {
  @Test("It is built in, sound, and has its methods")
  func isSound() {
    let interface = GatewayInterface.description()
    #expect(interface.name == GatewayInterface.name)
    #expect(interface.method("Watch") != nil)
  }
}
