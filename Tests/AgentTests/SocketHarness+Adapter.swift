// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Agent
@testable import AgentRuntime
import Controller
import HCI
import Interfaces

extension SocketHarness {
  /// From now on the kernel shares the adapter. It replies to every command that the agent may have sent, because no test
  /// has a kernel with an adapter to send them to.
  func shareAdapter() {
    var kernel = StandInKernel()
    let agent = loop.context.agent
    agent.radioAppeared(.sharedAdapter(index: kernel.index), at: now)
    let duty = KernelDuty(interval: 96, window: 96)
    let commands: [MgmtCommand] = [
      .readInformation(kernel.index), .readDefaults(kernel.index),
      .setDefaults(duty, for: .monitors, kernel.index), .addMonitor(kernel.index),
      .setDefaults(duty, for: .discovery, kernel.index), .startDiscovery(kernel.index),
    ]
    for command in commands {
      for event in kernel.answer(command) { agent.receive(mgmt: event.bytes.span.rawBytes, at: now) }
    }
    settle()
    precondition(agent.radioState == .on, "the adapter scans")
  }
}
