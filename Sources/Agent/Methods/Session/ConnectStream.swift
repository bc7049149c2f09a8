// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Setup
import Varlink

/// `Connect`: a connected socket to an accessory, beside the reply. Waits until the socket is connected.
struct ConnectStream: LinkStream {
  let link: LinkID
  var hasEnded = false

  mutating func nextReply(_ links: borrowing AccessoryLinks, at now: Instant) -> StreamStep {
    switch links.outcome(of: link) {
    case nil: return .wait
    case .success:
      hasEnded = true
      return .endPassing(.link(link), Message.reply())
    case .failure(let error):
      hasEnded = true
      return .end(error.message)
    }
  }

  func release(_ agent: AgentCore) {
    guard !hasEnded else { return agent.links.forget(link) }
    agent.updateLinks { $0.abandon(link) }
  }
}

/// `ReadRSSI`: how strong the signal of an accessory is to which the app is connected. Waits for the kernel's answer.
struct ReadingStream: LinkStream {
  let number: UInt64

  mutating func nextReply(_ links: borrowing AccessoryLinks, at now: Instant) -> StreamStep {
    switch links.commands.answer(to: number) {
    case nil: .wait
    case .rssi(let rssi?): .end(Message.reply { $0.member("rssi", Int64(rssi)) })
    case .rssi(nil), .failed: .end(SetupError.hasNoReading.message)
    case .notConnected, .disconnected: .end(SetupError.isNotConnected.message)
    }
  }

  func release(_ agent: AgentCore) { agent.links.commands.forget(number) }
}
