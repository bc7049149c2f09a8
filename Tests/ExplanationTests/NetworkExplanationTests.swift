// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import Interfaces
import Manifest
import Testing

@Suite("Why an item finds a network or not")
struct NetworkExplanationTests {
  private static let items: [ManifestItem] = {
    var camera = DisplayItem(id: "camera", name: "Camera")
    camera.descriptor.ssidPrefix = Array("Cam-".utf8)
    var whole = DisplayItem(id: "whole", name: "Whole")
    whole.descriptor.ssid = Array("Cam-12".utf8)
    var beside = DisplayItem(id: "beside", name: "Beside")
    beside.descriptor.companyIdentifier = 0x0EEE
    beside.descriptor.ssid = Array("Cam-1".utf8)
    let bulb = DisplayItem(id: "bulb", name: "Bulb")
    return [camera, whole, beside, bulb].map { ManifestItem(app: "cam", item: $0) }
  }()

  private func line(_ name: String, isFound: Bool) -> NetworkLine {
    NetworkLine(
      ssid: AirText(Array(name.utf8)), bssid: "00:00:00:00:00:01", radios: 1, signal: -60, security: .open,
      lastSeen: Seconds(microseconds: 1), silence: Seconds(microseconds: 12_345_678),
      items: [NetworkLine.Item(app: "cam", item: "camera", isFound: isFound)])
  }

  private func why(_ name: String, _ line: NetworkLine? = nil) -> [String] {
    Self.items.compactMap { NetworkExplanation(of: Array(name.utf8), $0, line)?.why }
  }

  @Test("A name is compared with each item that has a network, in sight or not")
  func names() {
    #expect(
      why("Cam-1") == [
        "the name matches; no such network is in sight",
        "the name ends after 5 bytes, before the wanted one does",
        "the item is found by Bluetooth; no network is looked for",
      ])
    #expect(why("Cam-1", line("Cam-1", isFound: true)).first == "found")
    #expect(
      why("Cam-1", line("Cam-1", isFound: false)).first
        == "the name matches; the network was last seen 12 s ago")
    #expect(why("Cab")[0] == "the name differs at byte 3")
    #expect(why("Cam-123")[1] == "the name goes on after the wanted one")
  }
}
