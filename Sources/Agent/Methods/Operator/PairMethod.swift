// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import Registry
import Setup
import Varlink

/// `Pair`: an operator pairs the device of an accessory again whose bond was lost.
enum PairMethod: OperatorMethod {
  static let name = OperatorMethodName.pair

  /// For the pairing, its undoing, and the commit after it.
  private static let milliseconds: Int64 = 100_000

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let agent = call.agent
    let (request, effects) = try agent.setupCore.pairAgain(
      call.parameters.word("accessory"), capability: agent.operatorCapability)
    agent.follow(effects)
    return .stream(RenewalStream(request: request, end: agent.now.advanced(milliseconds: milliseconds)))
  }
}

/// The request, then how it ended.
private struct RenewalStream: ReplyStream {
  let request: RandomIdentifier
  let end: Instant
  var isGreeted = false

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    guard isGreeted else {
      isGreeted = true
      let text = request.text
      return .reply(Message.reply(continues: true) { $0.member("request", text) })
    }
    guard agent.setupCore.request(request) == nil else {
      return end <= agent.now ? .end(OperatorError.registry(Patience.diskTimeoutSentence).message) : .wait
    }
    let outcome = agent.setupCore.outcome(of: request)
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

  func deadline(_ agent: AgentCore) -> Instant? { end }

  /// The pairing ends with the client that asked for it.
  func release(_ agent: AgentCore) { agent.follow(agent.setupCore.abandon(request)) }
}
