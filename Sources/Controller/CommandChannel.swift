// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The pending command to a controller, and whether the controller accepts another one (Core Specification 5.4, Volume
/// 4, Part E, 4.4).
struct CommandChannel: Sendable {
  /// The command that was sent or waits to be sent; nil if none is pending.
  private(set) var opcode: Opcode?
  /// The time until which the reply must arrive.
  private(set) var deadline: Instant?
  private var waiting: CommandPacket?
  private var outgoing: CommandPacket?
  /// A controller accepts one command before its first reply.
  private var mayBeSent = true

  /// Queues a command; the previous one must have been completed.
  mutating func send(_ command: CommandPacket, deadline: Instant) {
    precondition(opcode == nil, "the previous command must be completed before the next is sent")
    opcode = command.opcode
    self.deadline = deadline
    waiting = command
    release()
  }

  /// Receives a reply; returns whether it completes the pending command. Other replies only update how many commands
  /// may be sent.
  mutating func receiveReply(_ reply: borrowing CommandReply) -> Bool {
    mayBeSent = reply.commandsAllowed > 0
    guard waiting == nil, reply.isComplete, reply.opcode == opcode else {
      release()
      return false
    }
    opcode = nil
    deadline = nil
    return true
  }

  /// Returns the command to send now, once.
  mutating func takeOutgoing() -> CommandPacket? { outgoing.take() }

  private mutating func release() {
    guard mayBeSent, let command = waiting else { return }
    waiting = nil
    mayBeSent = false
    outgoing = command
  }
}

/// The result of a call of what scans.
public struct ScanOutput<Command: Equatable & Sendable, State: Equatable & Sendable>: Equatable, Sendable {
  /// The command to send now.
  public var command: Command?
  /// The new state, if it changed.
  public var state: State?

  public init(command: Command? = nil, state: State? = nil) { (self.command, self.state) = (command, state) }
}

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
