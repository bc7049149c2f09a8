// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
package import Agent
import Pairing
import Setup
import Varlink

extension AgentCore {
  /// Traps when a bound is passed or tables disagree, in the agent or one of its parts. Tests call it after every step.
  package func checkInvariants() {
    checkStreamCounts()
    clients.checkInvariants()
    links.checkInvariants()
    pairing.checkInvariants()
    setupCore.checkInvariants()
    pairing.kernel.checkInvariants()
    pairing.bluetoothd.checkInvariants()
  }
}

extension ClientTable {
  /// Traps when the tables disagree, or a client passes a bound.
  fileprivate func checkInvariants() {
    precondition(
      slots.compactMap { $0 }.elementsEqual(connected, by: ===), "every slot's client is connected")
    for client in connected {
      precondition(self[client.id] === client, "a client is found by its id")
      precondition(client.connection.sendableByteCount <= client.connection.limits.outputBytesMax)
      precondition(client.connection.receivableByteCount <= client.connection.limits.frameBytesMax + 1)
    }
  }
}

extension AccessoryLinks {
  /// Traps when a bound is passed or tables disagree.
  fileprivate func checkInvariants() {
    precondition(links.count <= Self.countMax, "connections have a bound")
    for (_, links) in Dictionary(grouping: links, by: \.address) {
      precondition(links.count(where: \.isConnecting) <= 1, "a device is connected to once at a time")
      precondition(links.count { !$0.isConnecting } <= 1, "a device has one connection")
    }
  }
}

extension PairingLink {
  /// Traps when the parts disagree.
  fileprivate func checkInvariants() {
    precondition((backend == .kernel) == kernel.isOpen, "the kernel pairs while its adapter is open for it")
    precondition(adapter != nil || lookDue == nil, "nothing is looked for without an adapter")
  }
}
