// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
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

/// `Pair`: an operator pairs the device of an accessory again whose bond was lost. Waits for how the request ends.
struct RenewalStream: SetupStream {
  /// For the pairing, its undoing, and the commit after it.
  private static let milliseconds: Int64 = 100_000

  let request: RandomIdentifier
  let end: Instant?

  init(request: RandomIdentifier, startedAt now: Instant) {
    self.request = request
    end = now.advanced(milliseconds: Self.milliseconds)
  }

  mutating func nextReply(_ setup: SetupCore, at now: Instant) -> StreamStep {
    guard setup.request(request) == nil else {
      return isOver(at: now) ? .end(OperatorError.registry(Patience.diskTimeoutSentence).message) : .wait
    }
    let outcome = setup.outcome(of: request)
    guard let outcome, outcome.failure == nil, let method = outcome.pairing else {
      let failure = outcome?.failure ?? .noSuchAccessory
      return .end(OperatorError.setupFailed(failure).message)
    }
    return .end(
      Message.reply { json in
        json.member("method", method.rawValue)
        json.member("isAuthenticated", outcome.isBondAuthenticated ?? false)
      })
  }

  /// The pairing ends with the client that asked for it.
  func release(_ agent: AgentCore) { agent.follow(agent.setupCore.abandon(request)) }
}
