// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import JSON
import Manifest
import Setup
import Testing
import Varlink
import VarlinkClient
import Wireless

@Suite("Networks in the status")
struct NetworkStatusTests {
  private static let manifest = GatewayManifest.lights.with { $0.gateway.wifi = "wlan0" }

  @Test("Without an interface in the manifest the status has no networks")
  func withoutInterface() throws {
    let harness = AgentHarness(.lights)
    #expect(try wifi(harness) == nil)
  }

  @Test("Status and metrics say the source, the networks, and what was dropped")
  func networks() throws {
    let harness = AgentHarness(Self.manifest)
    harness.networkReading = .success(NetworkReading(.nl80211, Self.list, hasCompletedScan: true))
    harness.run(milliseconds: 20_000)
    let wifi = try #require(try wifi(harness))
    #expect(wifi.text("interface") == "wlan0" && wifi.text("state") == "on")
    #expect(wifi.text("source") == "nl80211")
    #expect(wifi["networks"] == .integer(2))
    #expect(wifi["problem"] == nil)
    let text = try metrics(harness)
    #expect(text.contains("accessoryd_networks 2\n"))
    #expect(text.contains("accessoryd_networks_dropped_total{reason=\"hidden\"} 2\n"))
    #expect(text.contains("accessoryd_networks_dropped_total{reason=\"longName\"} 2\n"))
    #expect(text.contains("accessoryd_network_readings_total{source=\"nl80211\"} 2\n"))
    #expect(text.contains("accessoryd_network_scans_ended_total{end=\"completed\"} 2\n"))
  }

  @Test(
    "What is wrong is a problem of the status and a line of the log, once, and ends when networks are read again"
  )
  func problem() throws {
    let harness = AgentHarness(Self.manifest)
    harness.networkReading = .failure(.interfaceDown)
    harness.run(milliseconds: 20_000)
    let sentence = WirelessError.interfaceDown.sentence(interface: "wlan0")
    let failed = try #require(try wifi(harness))
    #expect(failed.text("state") == "failed" && failed.text("problem") == sentence)
    let problems = try status(harness).parameters.objects("problems")
    #expect(problems.contains { $0.text("kind") == "networksUnavailable" && $0.text("sentence") == sentence })
    #expect(
      harness.notices.count { $0 == .networks(.error(.interfaceDown, interface: "wlan0")) } == 1)
    harness.networkReading = .success(NetworkReading(.extensions, Self.list))
    harness.run(milliseconds: 6000)
    let again = try #require(try wifi(harness))
    #expect(again.text("state") == "on" && again["problem"] == nil)
    #expect(harness.notices.contains(.networks(.error(nil, interface: "wlan0"))))
  }

  @Test("A scan that cannot be started is a problem while one is needed, of which requests hear nothing")
  func startRefused() throws {
    let harness = AgentHarness(
      .cameras {
        $0.selection = .automatic
        ($0.descriptor.ssid, $0.descriptor.ssidPrefix) = (Array("Cam-1".utf8), nil)
      })
    harness.networkReading = .success(NetworkReading(.nl80211, Self.list))
    harness.networkScanStart = .failure(.system(call: "nl80211", reason: "Operation not supported"))
    harness.run(milliseconds: 70_000)
    let refused = try #require(try wifi(harness))
    #expect(refused.text("state") == "on")
    #expect(
      refused.text("problem")
        == "no scan can be started on wlan1, and only other programs' scans are read: nl80211: Operation not supported; "
        + "iw dev wlan1 info must say type managed, and dmesg may say more")
    #expect(harness.setupCore.reasonNetworksAreDown == nil)
    harness.reading = .accepted(
      AgentCore.Configuration(.cameras(), board: .attentive), radioSource: "h4:bench", warnings: [])
    harness.readManifestAgain()
    harness.run(milliseconds: 1000)
    #expect(try wifi(harness)?["problem"] == nil)
    #expect(harness.notices.contains(.networks(.error(nil, interface: "wlan1"))))
  }

  @Test("The error of an interface is not over when the manifest names another")
  func otherInterface() throws {
    let harness = AgentHarness(Self.manifest)
    harness.networkReading = .failure(.interfaceDown)
    harness.run(milliseconds: 20_000)
    let other = GatewayManifest.lights.with { $0.gateway.wifi = "wlan1" }
    harness.reading = .accepted(
      AgentCore.Configuration(other, board: .attentive), radioSource: "h4:bench", warnings: [])
    harness.readManifestAgain()
    harness.run(milliseconds: 20_000)
    #expect(harness.notices.contains(.networks(.error(.interfaceDown, interface: "wlan1"))))
    #expect(!harness.notices.contains { $0 == .networks(.error(nil, interface: "wlan1")) })
  }

  /// Two networks, a hidden one, and one whose name is too long.
  private static var list: NetworkList {
    var list = NetworkList()
    let names: [[UInt8]] = [[0x41], [0x42, 0], []]
    for (bssid, name) in names.enumerated() {
      guard let name = NetworkName(name) else { continue }
      list.append(
        WirelessNetwork(
          bssid: BSSID(bits: UInt64(bssid)), name: name, frequencyMegahertz: 2437, signal: -50,
          security: .wpa2,
          lastSeen: Instant(microseconds: 0)))
    }
    list.namesRefused = 1
    return list
  }

  private func status(_ harness: AgentHarness) throws -> ReceivedReply { try reply(harness, "Status") }

  private func wifi(_ harness: AgentHarness) throws -> JSONObject? { try status(harness).object("wifi") }

  private func metrics(_ harness: AgentHarness) throws -> String {
    try #require(try reply(harness, "Metrics").text("text"))
  }

  private func reply(_ harness: AgentHarness, _ method: String) throws -> ReceivedReply {
    let client = try #require(harness.connect())
    return try #require(harness.call(method, by: client).first)
  }
}
