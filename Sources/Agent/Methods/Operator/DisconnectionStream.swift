// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import Registry
import Setup
import Varlink

/// `Disconnect`: an operator ends the connection of an app to its accessory. Waits until the kernel has ended the link.
struct DisconnectionStream: LinkStream {
  /// As long as a session's end may take to end the connection.
  private static let milliseconds: Int64 = 12_000

  private let accessory: RandomIdentifier
  private let number: UInt64
  private let wasConnected: Bool
  let end: Instant?

  /// `number` is that of the command to the kernel.
  init(accessory: RandomIdentifier, number: UInt64, wasConnected: Bool, startedAt now: Instant) {
    (self.accessory, self.number, self.wasConnected) = (accessory, number, wasConnected)
    end = now.advanced(milliseconds: Self.milliseconds)
  }

  mutating func nextReply(_ links: borrowing AccessoryLinks, at now: Instant) -> StreamStep {
    switch links.commands.answer(to: number) {
    case .disconnected: return .end(Message.reply())
    case .notConnected where wasConnected: return .end(Message.reply())
    case .notConnected: return .end(error(.notConnected))
    case .failed, .rssi: return .end(error(.refused))
    case nil: return isOver(at: now) ? .end(error(.refused)) : .wait
    }
  }

  private func error(_ reason: OperatorError.DisconnectReason) -> [UInt8] {
    OperatorError.notDisconnected(accessory, reason).message
  }

  func release(_ agent: AgentCore) { agent.links.commands.forget(number) }
}
