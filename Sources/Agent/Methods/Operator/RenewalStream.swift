// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import Registry
import Setup
import Varlink

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
