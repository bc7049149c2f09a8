// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The one command on its way to a controller, and the controller's leave to send it (Core Specification 5.4, Volume 4,
/// Part E, 4.4).
struct CommandChannel: Sendable {
  /// The command that was sent or waits for leave to be; nil when nothing is awaited.
  private(set) var opcode: Opcode?
  /// By when it must have been answered.
  private(set) var deadline: Instant?
  private var waiting: CommandPacket?
  private var outgoing: CommandPacket?
  /// Before its first answer a controller takes one command.
  private var mayBeSent = true

  /// The one before must have been answered.
  mutating func send(_ command: CommandPacket, deadline: Instant) {
    precondition(opcode == nil, "a command is sent when the one before was answered")
    opcode = command.opcode
    self.deadline = deadline
    waiting = command
    release()
  }

  /// Whether this ends the command on its way. Answers to others only tell how many may be sent.
  mutating func take(_ answer: borrowing CommandReply) -> Bool {
    mayBeSent = answer.commandsAllowed > 0
    guard waiting == nil, answer.isComplete, answer.opcode == opcode else {
      release()
      return false
    }
    opcode = nil
    deadline = nil
    return true
  }

  /// What is to go to the controller now.
  mutating func takeOutgoing() -> CommandPacket? { outgoing.take() }

  private mutating func release() {
    guard mayBeSent, let command = waiting else { return }
    waiting = nil
    mayBeSent = false
    outgoing = command
  }
}
