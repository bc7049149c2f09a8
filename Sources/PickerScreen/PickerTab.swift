// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import ToolText

/// A request as the picker shows it.
struct PickerTab: Equatable, Sendable {
  var request: RequestLine
  var list: PickerList
  /// Whether the agent still has to reply to a decision made here.
  var isAnswering = false
  /// Whether the operator has decided anything here.
  var hasDecided = false
  /// Sentences about the agent's reply to a choice that matter when the request is over.
  var remarks: [String] = []
  /// The pairing's question that is on the screen, since when, and whether it was answered here.
  var askedQuestion: PairingQuestionLine?
  var askedAt = Instant(microseconds: 0)
  var isAnswered = false
  /// How the request ended; the tab stays until the next key.
  var ending: RequestEnding?

  init(_ request: RequestLine) {
    self.request = request
    list = PickerList(hasHeadings: request.items.count > 1)
  }

  var isOver: Bool { ending != nil }

  func item(of row: PickerRow) -> RequestItemLine? {
    request.items.indices.contains(row.line.itemIndex) ? request.items[row.line.itemIndex] : nil
  }

  /// Whether the request offers devices now, or soon will.
  var isChoosing: Bool {
    guard !isOver else { return false }
    switch request.phase {
    case .looking, .choosing: return request.kind == .setup
    case .pairing, .naming, .settingUp, .confirming, .answering: return false
    }
  }

  /// The question that the pairing asks now, answered or not.
  var question: PairingQuestionLine? {
    !isOver && request.phase == .pairing ? request.question : nil
  }

  /// The question that waits for an answer of this operator.
  var openQuestion: PairingQuestionLine? { isAnswered ? nil : question }

  /// Whether an operator agrees to the request or denies it.
  var wantsAgreement: Bool {
    switch request.kind {
    case .authorize, .migrate: true
    case .setup, .rename, .pair: false
    }
  }

  /// Whether the request waits for a name.
  var wantsName: Bool {
    !isOver && (request.kind == .rename || request.phase == .naming)
  }
}
