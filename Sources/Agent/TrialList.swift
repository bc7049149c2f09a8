// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Manifest
import ToolText
import Varlink

/// What one item says about every device in the table.
struct TrialList: Sendable {
  private let item: Int
  private let expected: ManifestItem
  private var row = 0
  private var waiting: [ItemExplanation] = []

  init(item: Int, of expected: ManifestItem) {
    self.item = item
    self.expected = expected
  }

  mutating func next(_ dataPath: borrowing DataPath) -> AgentCore.Step {
    // A reload may have given the index to another item.
    guard dataPath.items.indices.contains(item), dataPath.items[item] == expected else {
      return .end(Message.reply())
    }
    while true {
      if !waiting.isEmpty { return .say(Self.message(waiting.removeFirst())) }
      guard row < dataPath.pipeline.rowCount else { return .end(Message.reply()) }
      if let view = dataPath.device(atRow: row) { waiting = dataPath.explanations(of: view, item: item) }
      row += 1
    }
  }

  private static func message(_ explanation: ItemExplanation) -> [UInt8] {
    Message.element("trial", Trial(explanation))
  }
}
