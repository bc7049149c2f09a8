// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
package import Agent
import Pairing
import Setup

extension AgentCore {
  /// Traps when a bound is passed or tables disagree, in the agent or one of its parts. Tests call it after every step.
  package func checkInvariants() {
    checkTables()
    setupCore.checkInvariants()
    pairing.kernel.checkInvariants()
    pairing.bluetoothd.checkInvariants()
  }
}
