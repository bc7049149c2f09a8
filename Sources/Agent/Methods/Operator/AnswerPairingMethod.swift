// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Setup
import Varlink

/// `AnswerPairing`: an operator gives the pairing of a device what it asks for.
enum AnswerPairingMethod: OperatorMethod {
  static let name = OperatorMethodName.answerPairing

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let agent = call.agent
    let matches = call.parameters["matches"].map { $0 == .bool(true) }
    agent.follow(
      try agent.setupCore.answerPairing(
        call.parameters.word("request"), matches: matches, digits: call.parameters.wordIfAny("digits")))
    return .done
  }
}
