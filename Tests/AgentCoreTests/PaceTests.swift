// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import Discovery
import Testing

@Suite("A manifest for a board")
struct PaceTests {
  private var manifest: Manifest {
    var manifest = Manifest()
    var app = App(name: "lights", account: .user("daemon"))
    app.items = [DisplayItem(id: "bulb", name: "Bulb")]
    manifest.apps = [app]
    return manifest
  }

  @Test("Where the radio listens all the time it is as it stands")
  func full() {
    var board = BoardProfile(name: "full")
    board.low = ScanDuty(windowMilliseconds: 60, intervalMilliseconds: 60)
    #expect(manifest.paced(by: board) == manifest)
  }

  @Test("Where it listens a part of the time, silences are measured by ten intervals, not three")
  func part() {
    let paced = manifest.paced(by: BoardProfile(name: "generic"))
    #expect(manifest.apps[0].items[0].gate.patienceFactor == 3)
    #expect(paced.apps[0].items[0].gate.patienceFactor == 10)
  }
}
