// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import ToolText

/// A request as the picker shows it.
struct PickerTab: Equatable, Sendable {
  var request: RequestLine
  var list: PickerList
  /// What was decided here, until the agent has answered.
  var isAnswering = false
  /// Whether anything was decided here.
  var isActed = false
  /// What the agent answered to a choice, as sentences that matter when it is over.
  var remarks: [String] = []
  /// It is over, and stays in sight until the person has seen how it ended.
  var ending: RequestEnding?

  init(_ request: RequestLine) {
    self.request = request
    list = PickerList(hasHeadings: request.items.count > 1)
  }

  var isOver: Bool { ending != nil }

  func item(of row: PickerRow) -> RequestItemLine? {
    request.items.indices.contains(row.line.itemIndex) ? request.items[row.line.itemIndex] : nil
  }

  /// Whether a choice may bring a name: the item allows it, and no other app has named the device.
  func takesName(of row: PickerRow) -> Bool { !row.line.isShared && item(of: row)?.rename ?? false }

  /// Whether there is something to choose from, or soon will be.
  var isChoosing: Bool {
    guard !isOver else { return false }
    switch request.phase {
    case .looking, .choosing: return request.kind == .setup
    case .naming, .settingUp, .confirming, .answering: return false
    }
  }

  /// Whether a name is asked for.
  var wantsName: Bool {
    !isOver && (request.kind == .rename || request.phase == .naming)
  }
}
