// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import Testing

@Suite("A manifest for a board")
struct PaceTests {
  private var manifest: GatewayManifest {
    var manifest = GatewayManifest()
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

  @Test("Where it listens a tenth of the time, silences are ten times as long, up to their maximum")
  func part() {
    let before = manifest.apps[0].items[0].gate
    let paced = manifest.paced(by: BoardProfile(name: "generic")).apps[0].items[0].gate
    #expect(before.patienceFactor == 3 && paced.patienceFactor == 10)
    #expect(before.lostMilliseconds == 10_000 && paced.lostMilliseconds == 100_000)
    #expect(before.silenceMilliseconds == 5000 && paced.silenceMilliseconds == 30_000)
  }

  @Test("A recording is taken as it stands")
  func recording() {
    var recorded = manifest
    recorded.gateway.radio = .btsnoop("room.btsnoop")
    #expect(recorded.paced(by: BoardProfile(name: "generic")) == recorded)
  }
}
