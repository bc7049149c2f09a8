// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Explanation
import HCI
import Interfaces
import Manifest
import Suggestions
import TestSupport
import Testing
import VirtualRadio

@Suite("What the agent knows of a device from before it was listened to")
struct ObservedDeviceTests {
  private static let address = DeviceAddress(bits: 0xC0FF_EE00_0001, type: .random)
  private static let data = AdvertisingPayload().manufacturerData(0x0EEE, [1]).bytes
  private static let response = AdvertisingPayload().name("Lumo strip").bytes

  private static let strip: ManifestItem = {
    var item = DisplayItem(id: "strip", name: "Strip")
    item.descriptor.nameSubstring = Array("strip".utf8)
    return ManifestItem(app: "lights", item: item)
  }()

  private func line(_ data: [UInt8], response: [UInt8] = []) -> DeviceLine {
    DeviceLine(
      address: Self.address, reports: 9, firstSeen: Seconds(microseconds: 1),
      lastSeen: Seconds(microseconds: 1), silence: Seconds(microseconds: 5_000_000),
      intervalMilliseconds: 100,
      rhythmMilliseconds: 60_000, items: [], data: data + response,
      responseBytes: response.isEmpty ? nil : response.count)
  }

  private func explanation(_ line: DeviceLine, _ presence: Presence) -> ItemExplanation? {
    let gate = GateLine(
      range: .default, samples: 9, reports: 9, silenceMilliseconds: 5000, lostMilliseconds: 10_000)
    let state = ItemStateLine(app: "lights", item: "strip", presence: presence, gate: gate)
    return ObservedDevice(line, [state], frames: [(Self.data, [])]).explanations(of: Self.strip).first
  }

  @Test("A scan response that the agent kept is asked beside the frames that came")
  func keptResponse() throws {
    let explanation = try #require(self.explanation(line(Self.data, response: Self.response), .inside))
    #expect(explanation.holds && explanation.isFound)
    #expect(explanation.why == "found")
  }

  @Test("An item that found a frame which is gone still has the device")
  func frameThatIsGone() throws {
    let found = try #require(self.explanation(line(Self.data), .inside))
    #expect(!found.holds && found.isFound)
    #expect(
      found.why
        == "found by a frame that came earlier; of those that came now, name-substring: none is advertised")
    let other = try #require(self.explanation(line(Self.data), .outside))
    #expect(!other.isFound && other.why == "name-substring: none is advertised")
  }

  @Test("A device that was turned away names the table and its key")
  func turnedAway() throws {
    var manifest = GatewayManifest()
    manifest.gateway.capacities.matchesPerItem = 8
    var item = DisplayItem(id: "lamp", name: "Lamp")
    item.descriptor.companyIdentifier = 0x0EEE
    var app = App(name: "lights", account: .user("app"))
    app.items = [item]
    manifest.apps = [app]
    var path = ManifestDataPath(manifest)
    for second in 0..<20 as Range<Int64> {
      for unit in 0..<9 as Range<UInt64> {
        let lamp = MadeDevice("lamp", "M 0eee 01", wanted: "", at: 0xC4A1_0000_0000 + unit)
        for bytes in lamp.packets(1) {
          _ = path.pipeline.receive(
            try Packet(parsing: bytes.span.rawBytes), at: Instant(microseconds: second * 1_000_000))
        }
      }
    }
    let reasons = path.devices.map { path.explanations(of: $0, item: 0)[0].why }
    #expect(
      reasons.filter { $0 != "found" } == [
        "matches, but was turned away: the table of the item's matches is full, with devices about as strong or stronger; "
          + "raise capacity.matches-per-item"
      ], "\(reasons)")
  }

  @Test("A device that sleeps while it is listened to is suggested from what it sent last, with its rhythm")
  func sleeping() throws {
    var sources = SuggestionSources(ofDevice: Self.address.bits)
    sources.addLast(line(Self.data, response: Self.response))
    let suggestion = try #require(Suggestion.all(sources).first)
    #expect(suggestion.reportCount == 1)
    #expect(
      suggestion.notes.contains { $0.contains("It sends in bursts, every 60 s.") },
      "\(suggestion.notes)")
    #expect(suggestion.warnings.contains { $0.hasPrefix("This is a guess") })
  }
}
