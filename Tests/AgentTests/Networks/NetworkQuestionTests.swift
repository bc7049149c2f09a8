// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import JSON
import Manifest
import Registry
import Setup
import Testing
import Varlink
import VirtualRadio
import Wireless

@Suite("What operators see of networks")
struct NetworkQuestionTests {
  private func harness(
    _ manifest: GatewayManifest = .cameras()
  ) throws -> (AgentHarness, HarnessClient) {
    let harness = AgentHarness(manifest, scene: [], access: .twoApps, after: 2000)
    return (harness, try #require(harness.connect()))
  }

  private func events(_ client: HarnessClient) -> [String] {
    client.replies.compactMap { reply in
      guard let event = reply.object("network") else { return nil }
      return [event.text("event"), event.text("item"), event.text("ssid"), event.text("reason")]
        .compactMap { $0 }.joined(separator: " ")
    }
  }

  @Test("A watch reports a network when its item finds it, and when scans of a minute have missed it")
  func watch() throws {
    let (harness, client) = try harness()
    harness.call("Watch", by: client, more: true)
    harness.scan(HeardNetwork("Cam-1"), HeardNetwork("Home"))
    harness.run(milliseconds: 30_000)
    harness.scan(HeardNetwork("Cam-1"))
    #expect(events(client) == ["found camera Cam-1 matched"])
    harness.run(milliseconds: 59_000)
    harness.scan()
    harness.scan()
    #expect(events(client).count == 1, "it was missed twice, for less than a minute")
    harness.run(milliseconds: 2000)
    harness.scan()
    harness.run(milliseconds: 1000)
    #expect(events(client) == ["found camera Cam-1 matched", "lost camera Cam-1 silence"])
    harness.scan(HeardNetwork("Cam-1"))
    #expect(events(client).last == "found camera Cam-1 matched")
  }

  @Test("Many other networks take no place of one that an item looks for")
  func crowd() throws {
    let (harness, client) = try harness()
    harness.call("Watch", by: client, more: true)
    harness.scan(HeardNetwork("Cam-1", signal: -70), HeardNetwork("Home"))
    harness.run(milliseconds: 1000)
    let now = harness.now
    harness.updateNetworks { table in
      for number in 0..<(NetworkTable.capacity + 100) {
        guard let name = NetworkName(Array("Other \(number)".utf8)) else { return }
        table.insert(
          WirelessNetwork(
            bssid: BSSID(bits: 0xAA_0000 + UInt64(number)), name: name, frequencyMegahertz: nil, signal: -40,
            security: .open, lastSeen: now))
      }
    }
    // A second one finds a place in the full table.
    harness.scan(HeardNetwork("Cam-2", signal: -90))
    harness.run(milliseconds: 1000)
    #expect(events(client) == ["found camera Cam-1 matched", "found camera Cam-2 matched"])
  }

  @Test("Without scans no network is lost, and none is found")
  func noScans() throws {
    let (harness, client) = try harness()
    harness.call("Watch", by: client, more: true)
    harness.scan(HeardNetwork("Cam-1"))
    harness.run(milliseconds: 3_600_000)
    #expect(events(client) == ["found camera Cam-1 matched"])
  }

  @Test("What the kernel kept for more than a minute is not found")
  func old() throws {
    let (harness, client) = try harness()
    harness.run(milliseconds: 120_000)
    harness.call("Watch", by: client, more: true)
    let seen = harness.now.advanced(milliseconds: -61_000)
    harness.updateNetworks { table in
      guard let name = NetworkName(Array("Cam-1".utf8)) else { return }
      table.insert(
        WirelessNetwork(
          bssid: BSSID(bits: 1), name: name, frequencyMegahertz: nil, signal: nil, security: .other,
          lastSeen: seen))
    }
    harness.run(milliseconds: 1000)
    #expect(events(client).isEmpty)
  }

  @Test("A reload loses what no item looks for any more, and finds what one looks for now")
  func reload() throws {
    let (harness, client) = try harness()
    harness.call("Watch", by: client, more: true)
    harness.scan(HeardNetwork("Cam-1"), HeardNetwork("Home"))
    let changed = GatewayManifest.cameras { $0.descriptor.ssidPrefix = Array("Ho".utf8) }
    harness.readManifestAgain()
    harness.manifestWasRead(
      .accepted(AgentCore.Configuration(changed, access: .twoApps), radioSource: "h4:bench", warnings: []))
    harness.run(milliseconds: 1000)
    #expect(
      events(client) == [
        "found camera Cam-1 matched", "lost camera Cam-1 reload", "found camera Home matched",
      ])
  }

  @Test("A watch that begins later lists the networks that were found")
  func present() throws {
    let (harness, client) = try harness()
    harness.scan(HeardNetwork("Cam-1"), HeardNetwork("Cam-2", signal: -40))
    harness.run(milliseconds: 1000)
    let replies = harness.call("Watch", by: client, more: true)
    let names = replies.compactMap { $0.object("presentNetwork")?.text("ssid") }
    #expect(names == ["Cam-2", "Cam-1"])
  }

  @Test("A slow watch learns how many events of networks it missed")
  func missed() throws {
    let (harness, client) = try harness()
    harness.call("Watch", by: client, more: true)
    client.readableByteCount = 0
    for round in 0..<60 {
      for number in 0..<10 { harness.scan(HeardNetwork("Cam-\(round)-\(number)")) }
    }
    client.readableByteCount = .max
    harness.run(milliseconds: 1000)
    let missed = client.replies.compactMap { $0.integer("missedNetworks") }.reduce(0, +)
    #expect(missed > 0 && missed + Int64(events(client).count) == 600)
  }

  @Test("Networks lists those that match an item, or all of them, the strongest first")
  func networks() throws {
    let (harness, client) = try harness()
    var twin = HeardNetwork("Cam-1", signal: -80)
    twin.radio = 9
    harness.scan(HeardNetwork("Cam-1", signal: -60), HeardNetwork("Home", signal: -30))
    harness.run(milliseconds: 5000)
    harness.scan(twin)
    let matching = harness.call("Networks", by: client, more: true).compactMap { $0.object("network") }
    let camera = try #require(matching.first)
    #expect(matching.count == 1 && camera.text("ssid") == "Cam-1")
    #expect(camera.integer("radios") == 2 && camera.integer("signal") == -60)
    #expect(camera.text("bssid") == "00:00:00:01:00:00" && camera.integer("frequency") == 2412)
    #expect(camera.objects("items").first?.bool("isFound") == true)
    let all = harness.call("Networks", by: client, more: true) { $0.member("includesAll", true) }
    #expect(all.compactMap { $0.object("network")?.text("ssid") } == ["Home", "Cam-1"])
  }

  @Test("A name with NUL or ill-formed UTF-8 has its bytes beside it wherever operators see it")
  func bytes() throws {
    let (harness, client) = try harness()
    harness.scan(HeardNetwork([0x43, 0x61, 0x6D, 0x2D, 0x00, 0xC3]))
    harness.run(milliseconds: 1000)
    let line = harness.call("Networks", by: client, more: true).compactMap { $0.object("network") }.first
    harness.call("Watch", by: client, more: true)
    harness.scan(HeardNetwork([0x43, 0x61, 0x6D, 0x2D, 0x00]))
    let event = try #require(client.replies.compactMap { $0.object("network") }.last)
    #expect(event.text("ssid") == "Cam-\u{FFFD}" && event.text("ssidHex") == "43616d2d00")
    #expect(line?.text("ssid") == "Cam-\u{FFFD}\u{FFFD}" && line?.text("ssidHex") == "43616d2d00c3")
  }

  @Test("Without an interface, Inspect says why an item that is found by its network finds none")
  func trialWithoutInterface() throws {
    let (harness, client) = try harness(.cameras().with { $0.gateway.wifi = nil })
    let replies = harness.call("Inspect", by: client, more: true) { $0.member("item", "camera") }
    #expect(replies.map { $0.text("reasonNothingIsFound") } == [Gateway.reasonNoNetworkMatches])
  }

  @Test("Where no network is known, Inspect says what is wrong with the interface, or what starts a scan")
  func trialWithoutNetworks() throws {
    let (harness, client) = try harness()
    func reason() -> String? {
      harness.call("Inspect", by: client, more: true) { $0.member("item", "camera") }.last?
        .text("reasonNothingIsFound")
    }
    #expect(
      reason() == "finds nothing now: " + WirelessError.interfaceMissing.sentence(interface: "wlan1"))
    harness.networkReading = .success(NetworkReading(.extensions, NetworkList()))
    harness.run(milliseconds: 20_000)
    #expect(reason()?.hasPrefix("finds nothing now: no network is known; a scan is started while") == true)
  }

  @Test("Metrics count networks by item, and never carry a name from the air")
  func metrics() throws {
    let (harness, client) = try harness()
    harness.scan(HeardNetwork("Cam-secret"), HeardNetwork("Cam-2"))
    harness.run(milliseconds: 1000)
    let text = try #require(harness.call("Metrics", by: client).first?.text("text"))
    #expect(text.contains("accessoryd_networks_found 2\n"))
    #expect(text.contains("accessoryd_network_events_total{event=\"found\"} 2\n"))
    let item = "accessoryd_item_devices{app=\"lights\",item=\"camera\",presence=\"found\"} 2\n"
    #expect(text.contains(item))
    #expect(!text.contains("secret"))
  }

  @Test("Networks are needed for open requests, then for automatic items, then for what others scan")
  func demand() {
    #expect(AgentHarness(.lights).agent.networkDemand == .none)
    #expect(AgentHarness(.cameras()).agent.networkDemand == .known)
    let automatic = GatewayManifest.cameras { item in
      item.selection = .automatic
      (item.descriptor.ssid, item.descriptor.ssidPrefix) = (Array("Cam-1".utf8), nil)
    }.with { $0.apps[0].items.append(.touchBulb) }
    let harness = AgentHarness(automatic, scene: [], access: .twoApps)
    let scenario = SetupScenario(harness)
    #expect(harness.agent.networkDemand == .automatic)
    let app = scenario.app()
    app.call("ShowPicker")
    #expect(harness.agent.networkDemand == .picker)
    app.call("CancelPicker")
    #expect(harness.agent.networkDemand == .automatic)
    // A request that no network can end needs none.
    scenario.call("Operator.Open", #""app":"lights","usesTouch":true"#, user: 0, label: "anna")
    #expect(harness.setupCore.requests.count == 1 && harness.agent.networkDemand == .automatic)
    // Nor does a network that its app has, or that was removed.
    harness.scan(HeardNetwork("Cam-1"))
    scenario.run(seconds: 5)
    #expect(harness.setupCore.registry.accessories.count == 1 && harness.agent.networkDemand == .known)
    app.call("RemoveAccessory", about: app.accessory, wait: 1)
    #expect(harness.setupCore.registry.accessories.isEmpty && harness.agent.networkDemand == .known)
    scenario.call("Operator.Allow", #""app":"lights","device":"Cam-1""#, user: 0, label: "anna", wait: 0.1)
    #expect(harness.agent.networkDemand == .automatic)
  }
}
