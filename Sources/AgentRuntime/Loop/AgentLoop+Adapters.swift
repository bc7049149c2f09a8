// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Controller
import HCI
import LinuxSystem

// The kernel's management interface: adapters that come and go, and scans that the kernel is asked for.

extension AgentLoop {
  /// How long the end waits until the kernel has taken back what it was asked for.
  private static var farewellMilliseconds: Int { 1000 }

  /// Opens the interface while an adapter is wanted. Without it the agent looks for adapters now and then.
  mutating func followAdapters(_ isWanted: Bool) {
    guard isWanted else {
      if radio.management.take() != nil, let token = radio.managementToken.take() { watches.remove(token) }
      return
    }
    guard radio.management == nil else { return }
    do throws(SystemError) {
      let port = try MgmtSocket()
      guard let token = watches.insert(.management) else {
        preconditionFailure("there is a place for the management interface")
      }
      try epoll.add(port.socket.descriptor, .readable, token: token)
      (radio.management, radio.managementToken) = (port, token)
    } catch {
      // Of that the opening of the adapter tells.
      guard !error.isWithoutBluetooth else { return }
      log.say(.info, "the kernel's Bluetooth management cannot be asked: \(error.sentence)")
    }
  }

  mutating func manage(_ command: MgmtCommand) {
    do throws(SystemError) {
      try radio.management?.send(command)
    } catch {
      // No answer comes, which ends the wait for it.
      log.say(.warning, "the kernel's Bluetooth management takes no command: \(error.sentence)")
    }
  }

  mutating func takeManagementMessages() {
    guard let port = radio.management else { return }
    var hasCome = false
    port.drain { message in
      if case .added = (try? MgmtEvent(parsing: message))?.content { hasCome = true }
      agent.receive(management: message, at: now)
    }
    noteRemains()
    if agent.isAdapterSwitchedOff, let index = radio.source?.adapter?.index, AdapterSocket.isBlocked(index) {
      // Switched off by nobody: it is opened again now and then, until the block is gone.
      lose(.gone(RadioOpening.Failure.blocked(index).sentence))
    }
    guard hasCome, radio.source == nil, radio.opening == nil, radio.wanted?.isAdapter == true else { return }
    radio.backOff = BackOff()
    beginOpening()
  }

  /// Has what would be left in the kernel written down, when it is other than before.
  private mutating func noteRemains() {
    guard let adapter = radio.source?.adapter, adapter.accessMode == .shared else { return }
    note(agent.kernelScanState, adapter)
  }

  mutating func note(_ remains: KernelScanState, _ adapter: OpenAdapter) {
    guard remains != radio.remains, let file = radio.wanted?.kernelScanStateFile else { return }
    radio.remains = remains
    perform(task: .note(remains, index: adapter.index, file))
  }

  /// The adapter is let go, with nothing of ours in it: the kernel gives the same handles to others.
  mutating func forgetRemains(_ adapter: OpenAdapter) { note(adapter.remainsBehind, adapter) }

  /// Leaves adapters as they were found. The loop is over: what takes a while may.
  mutating func leaveAdapter() {
    let farewell = agent.farewell
    if !farewell.isEmpty, let port = radio.management {
      port.carryOut(farewell, milliseconds: Self.farewellMilliseconds)
      if let file = radio.wanted?.kernelScanStateFile { FileName.remove(file.path) }
    }
    let adapter = radio.source?.adapter
    radio.source = nil
    guard let adapter, adapter.accessMode == .exclusive(wasUp: true) else { return }
    let (index, behind) = (adapter.index, adapter.remainsBehind)
    // The hold is this function's last: the channel has to be closed before.
    radio.tasks.append(.restore(index))
    if let file = radio.wanted?.kernelScanStateFile { radio.tasks.append(.note(behind, index: index, file)) }
  }
}
