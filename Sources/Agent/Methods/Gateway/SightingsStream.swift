// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Interfaces
import Manifest
import Setup
import DeviceLines
import Varlink

/// `Sightings`: the devices in the table, those that match an item or all of them, row by row, then the full items.
///
/// The stream holds no copy of the table. A row that changes hands while a client reads slowly shows its new device.
struct SightingsStream: DeviceStream {
  private let all: Bool
  private var row = 0
  private var fullItems: [TurnedAwayLine]?

  init(all: Bool) { self.all = all }

  mutating func nextReply(_ dataPath: borrowing ManifestDataPath) -> StreamStep {
    while row < dataPath.pipeline.rowCount {
      defer { row += 1 }
      guard let device = dataPath.pipeline.device(at: row), all || device.matchCount > 0,
        let view = dataPath.device(atRow: row)
      else { continue }
      return .reply(Message.element("device", DeviceLine(view)))
    }
    var left = fullItems ?? dataPath.turnedAwayLines
    guard !left.isEmpty else { return .end(Message.reply()) }
    let next = left.removeFirst()
    fullItems = left
    return .reply(Message.element("turnedAway", next))
  }
}
