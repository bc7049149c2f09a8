// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import AgentService
import HCI
import LinuxSystem

// The kernel's management interface: adapters that come and go, and scans that the kernel is asked for.

extension AgentLoop {
  /// How long the end waits until the kernel has taken back what it was asked for.
  private static var farewellMilliseconds: Int { 1000 }

  /// Opens the interface while an adapter is wanted. Without it the agent looks for adapters now and then.
  mutating func followAdapters(_ isWanted: Bool) {
    guard isWanted else {
      if let port = radio.management.take() { watches.remove(port.token) }
      return
    }
    guard radio.management == nil else { return }
    do throws(SystemError) {
      let socket = try AdapterSocket.management()
      guard let token = watches.insert(.management) else {
        preconditionFailure("there is a place for the management interface")
      }
      try epoll.add(socket.descriptor, .readable, token: token)
      radio.management = ManagementPort(socket, token: token)
    } catch {
      // Of that the opening of the adapter tells.
      guard !error.isWithoutBluetooth else { return }
      log.say(.info, "the kernel's Bluetooth management cannot be asked: \(error.sentence)")
    }
  }

  mutating func manage(_ command: ManagementCommand) {
    do throws(SystemError) {
      _ = try radio.management?.socket.descriptor.send(command.octets.span)
    } catch {
      // No answer comes, which ends the wait for it.
      log.say(.warning, "the kernel's Bluetooth management takes no command: \(error.sentence)")
    }
  }

  mutating func takeManagementMessages() {
    guard let port = radio.management else { return }
    var hasCome = false
    port.drain { message in
      if case .added = (try? ManagementEvent(parsing: message))?.content { hasCome = true }
      agent.receive(management: message, at: now)
    }
    guard hasCome, radio.source == nil, radio.opening == nil, radio.wanted?.isAdapter == true else { return }
    radio.backOff = BackOff()
    beginOpening()
  }

  /// Leaves adapters as they were found. The loop is over: what takes a while may.
  mutating func leaveAdapter() {
    let farewell = agent.farewell
    for command in farewell { manage(command) }
    if !farewell.isEmpty { awaitAnswers(farewell.count) }
    let adapter = radio.source?.adapter
    radio.source = nil
    guard let adapter, adapter.manner == .exclusive(wasUp: true) else { return }
    let index = adapter.index
    // The hold is this function's last: the channel has to be closed before.
    radio.errands.append(.restore(index))
  }

  private func awaitAnswers(_ count: Int) {
    guard let port = radio.management,
      let deadline = try? MonotonicInstant.now().advanced(milliseconds: Self.farewellMilliseconds)
    else { return }
    var left = count
    while left > 0 {
      guard let ready = try? Polling.wait([.init(port.socket.descriptor.number, .readable)], until: deadline),
        ready.first?.isEmpty == false
      else { return }
      port.drain { message in
        if case .completed = (try? ManagementEvent(parsing: message))?.content { left -= 1 }
      }
    }
  }
}
