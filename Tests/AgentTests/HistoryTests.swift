// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Discovery
import HCI
import JSON
import Manifest
import Testing
import VarlinkClient
import VirtualRadio

@Suite("What the gateway heard in the last ten minutes")
struct HistoryTests {
  private func integers(_ name: String, of object: JSONObject?) -> [Int64] {
    guard case .array(let values)? = object?[name] else { return [] }
    return values.compactMap { if case .integer(let integer) = $0 { integer } else { nil } }
  }

  /// A bulb that is there from the 12th second to the 32nd.
  private var passing: SceneDevice {
    var bulb = SceneDevice.bulb(1)
    bulb.presence = [.seconds(12, 32)]
    return bulb
  }

  private func history(_ harness: AgentHarness, device: String? = nil) throws -> [ReceivedReply] {
    let client = try #require(harness.connect())
    return harness.call("RecentHistory", by: client, more: true) { json in
      if let device { json.member("device", device) }
    }
  }

  @Test("Levels and silences each 5 s, the reports, and what was found and lost")
  func passingBy() throws {
    let harness = AgentHarness(.lights, scene: [passing, .unknownDevice(2)])
    harness.run(milliseconds: 62_000)
    let replies = try history(harness)
    let reports = integers("reports", of: replies.first?.parameters)
    #expect(reports.count == 13 && reports[4...6].allSatisfy { $0 > 40 })
    #expect(reports.suffix(3).allSatisfy { (5...20).contains($0) })
    let track = replies.compactMap { $0.object("track") }.first { $0.text("item") == "bulb" }
    let levels = integers("levels", of: track)
    #expect(
      levels.prefix(3).allSatisfy { $0 == 127 } && levels[3...6].allSatisfy { (-64 ... -58).contains($0) })
    let silences = integers("silences", of: track)
    #expect(
      silences.prefix(3).allSatisfy { $0 == -1 } && silences[3...6].allSatisfy { (0...200).contains($0) })
    // It is kept for 10 s after its last report.
    #expect((2900...3200).contains(silences[7]) && silences.suffix(3).allSatisfy { $0 == -1 })
    let edges = replies.compactMap { $0.object("edge") }.filter { $0.text("item") == "bulb" }
    #expect(edges.map { $0.text("event") } == ["found", "lost"])
    #expect(edges.last?.text("reason") == "silence" && edges.last?["silence"] != nil)
  }

  @Test("Only of one device, and after eleven minutes of silence of none")
  func ages() throws {
    let harness = AgentHarness(.lights, scene: [passing, .bulb(3)])
    harness.run(milliseconds: 62_000)
    let address = try #require(DeviceAddress(bits: 3 | 0b11 << 46, type: .random).text)
    let own = try history(harness, device: address)
    #expect(own.compactMap { $0.object("track")?.text("address") }.allSatisfy { $0 == address })
    #expect(own.compactMap { $0.object("edge")?.text("address") } == [address])
    harness.run(milliseconds: 620_000)
    let replies = try history(harness)
    #expect(integers("reports", of: replies.first?.parameters).count == 120)
    #expect(replies.compactMap { $0.object("track")?.text("address") }.allSatisfy { $0 == address })
  }

  @Test("Items say what they find, and when one last matched; apps whether they are there")
  func itemsAndApps() throws {
    let harness = AgentHarness(.lights, scene: [passing])
    harness.run(milliseconds: 20_000)
    let client = try #require(harness.connect())
    func bulb() -> JSONObject? {
      harness.call("Items", by: client, more: true).compactMap { $0.object("item") }.first {
        $0.text("item") == "bulb"
      }
    }
    #expect(bulb()?.integer("found") == 1 && bulb()?["lastMatched"] != nil)
    harness.run(milliseconds: 40_000)
    #expect(bulb()?.integer("found") == 0 && bulb()?["lastMatched"] != nil && bulb()?["turnedAway"] == nil)
    let apps = harness.call("Apps", by: client, more: true).compactMap { $0.object("app") }
    #expect(apps.map { $0.text("app") } == ["lights"])
    #expect(apps.first?["isConnected"] == .bool(false) && apps.first?["lastSeen"] == nil)
  }

  @Test("An app with a session is there, and was seen when it had one")
  func apps() {
    let scenario = SetupScenario(scene: [.bulb(1)])
    let lights = scenario.app()
    func app() -> JSONObject? {
      scenario.call("Gateway.Apps", "", user: 0, label: "anna").replies.compactMap { $0.object("app") }.first
    }
    scenario.run(seconds: 6)
    #expect(app()?["isConnected"] == .bool(true))
    lights.hangUp()
    scenario.run(seconds: 30)
    #expect(app()?["isConnected"] == .bool(false) && app()?["lastSeen"] != nil)
  }

  @Test("A thousand devices take no more than 256 places, and those that are there now stay")
  func crowd() throws {
    let crowd = (1...300).map { SceneDevice.bulb(UInt64($0)) }
    let manifest = GatewayManifest.lights.with { $0.gateway.capacities.matchesPerItem = 400 }
    let harness = AgentHarness(manifest, scene: crowd)
    harness.run(milliseconds: 12_000)
    let tracks = try history(harness).compactMap { $0.object("track") }
    #expect(tracks.count == 256)
  }
}
