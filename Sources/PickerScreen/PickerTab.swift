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
    case .naming, .settingUp, .confirming, .answering: return false
    }
  }

  /// Whether an operator agrees to the request or denies it.
  var wantsAgreement: Bool {
    switch request.kind {
    case .authorize, .migrate: true
    case .setup, .rename: false
    }
  }

  /// Whether the request waits for a name.
  var wantsName: Bool {
    !isOver && (request.kind == .rename || request.phase == .naming)
  }
}
