// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import Interfaces
import JSON
import VarlinkClient

/// All replies to a call, or why there are none.
typealias AgentAnswer = Result<[ReceivedReply], QuestionError>

/// Why the agent has not done what was asked.
struct QuestionError: Error {
  let sentence: String
  /// The request that was asked about has ended.
  let isClosed: Bool
  /// The device that was asked about is not heard.
  let isNotInSight: Bool

  static let busy = QuestionError(sentence: "Too much is asked at once. Try again in a moment.")

  init(sentence: String, isClosed: Bool = false, isNotInSight: Bool = false) {
    (self.sentence, self.isClosed, self.isNotInSight) = (sentence, isClosed, isNotInSight)
  }

  init(_ error: BridgeCallError) {
    self.init(sentence: "\(error.sentence.asSentence)")
  }

  /// nil for a reply that is no refusal.
  init?(_ reply: ReceivedReply) {
    guard let refusal = reply.refusal else { return nil }
    if reply.isPermissionDenied {
      self.init(
        sentence:
          "The agent does not take this program for an operator. Put its account into the group accessory.")
    } else if reply.isUnknownMethod {
      self.init(sentence: "The agent is older than this page. Update the package accessory-gateway.")
    } else {
      self.init(
        sentence: refusal.asSentence, isClosed: reply.error == OperatorErrorName.requestClosed.rawValue,
        isNotInSight: reply.error == GatewayErrorName.deviceNotInSight.rawValue)
    }
  }
}

extension String {
  /// With a capital letter, and a full stop.
  var asSentence: String {
    guard let first else { return self }
    let text = first.uppercased() + dropFirst()
    return text.hasSuffix(".") || text.hasSuffix("!") || text.hasSuffix("?") ? text : text + "."
  }
}

/// A question to the agent that waits for its replies, and what is done with them.
struct AgentQuestion {
  /// More is no list that the agent makes.
  static let repliesMax = 1 << 14

  let call: BridgeCall
  /// It lasts as long as the request that it has opened.
  var isHeld = false
  var replies: [ReceivedReply] = []
  /// Gets each reply as it comes, in place of all at the end.
  var onReply: ((inout PageServer, ReceivedReply) -> Void)?
  let onEnd: (inout PageServer, AgentAnswer) -> Void
}
