// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The pending command to the kernel's management interface; at most one.
struct MgmtCommandChannel: Sendable {
  /// The command that waits for its reply.
  private(set) var pending: MgmtCommand?
  /// The time until which the reply must arrive.
  private(set) var deadline: Instant?
  private var outgoing: MgmtCommand?

  /// Queues a command; the previous one must have been completed.
  mutating func send(_ command: MgmtCommand, deadline: Instant) {
    precondition(pending == nil, "the previous command must be completed before the next is sent")
    (pending, outgoing) = (command, command)
    self.deadline = deadline
  }

  /// Receives the reply to a command. Returns the pending command if the reply completes it; replies to other
  /// programs' commands do not.
  mutating func complete(_ opcode: MgmtOpcode) -> MgmtCommand? {
    guard let command = pending, command.opcode == opcode else { return nil }
    (pending, deadline) = (nil, nil)
    return command
  }

  /// Returns the command to send now, once.
  mutating func takeOutgoing() -> MgmtCommand? { outgoing.take() }
}
