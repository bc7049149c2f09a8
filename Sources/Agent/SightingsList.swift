// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Manifest
import ToolText
import Varlink

/// The devices in the table, row by row: those that match an item, or all.
///
/// It holds no copy of the table. A row that changes hands while the list is read slowly shows who is there then.
struct SightingsList: Sendable {
  private let all: Bool
  private var row = 0

  init(all: Bool) { self.all = all }

  mutating func next(_ dataPath: borrowing DataPath) -> AgentCore.Step {
    while row < dataPath.pipeline.rowCount {
      defer { row += 1 }
      guard let device = dataPath.pipeline.device(at: row), all || device.matchCount > 0,
        let view = dataPath.device(atRow: row)
      else { continue }
      return .say(Message.element("device", DeviceLine(view)))
    }
    return .end(Message.reply())
  }
}
