// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import PickerScreen
import ToolText

struct AnswerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "answer",
    abstract: "Reply to the question of a pairing.",
    discussion: """
      For scripts: pick --digits and pair --digits print the request and its question. \
      pick on the whole screen asks by itself. Exit status: 0 the agent has the answer, \
      1 the request is over, or asks for nothing (any more).

      Examples:
        accessoryctl answer 3f0c5d…e2 yes
        accessoryctl answer 3f0c5d…e2 123456
      """)

  @Argument(help: "The request: 32 hexadecimal digits.")
  var request: String

  @Argument(help: "yes or no: whether the device shows the same digits; or the six digits that it shows.")
  var answer: String

  @OptionGroup var gateway: GatewayOptions

  func validate() throws {
    if PairingDecision(answer) == nil {
      throw ValidationError("the answer is yes, no, or six digits")
    }
  }

  func run() throws {
    guard let decision = PairingDecision(answer) else { return }
    try gateway.callOnce(OperatorMethodName.answerPairing) { json in
      json.member("request", request)
      json.member(decision)
    } _: { _ in
    }
  }
}

extension JSONWriter {
  /// The answer as parameters of `AnswerPairing`.
  mutating func member(_ decision: PairingDecision) {
    switch decision {
    case .matches(let isSame): member("matches", isSame)
    case .digits(let digits): member("digits", digits)
    }
  }
}
