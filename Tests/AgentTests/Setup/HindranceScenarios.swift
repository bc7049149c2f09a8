// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Discovery
import JSON
import Manifest
import Testing
import Varlink
import VarlinkClient
import VirtualRadio

@Suite("Devices that match and cannot become candidates", .overEveryTransport)
struct HindranceScenarios {
  private func callGateway(
    _ scenario: SetupScenario, _ method: String, _ parameters: String = ""
  ) -> [ReceivedReply] {
    guard let client = scenario.harness.connect() else { return [] }
    scenario.harness.send(Message.text("io.accessoryd.Gateway.\(method)", parameters, more: true), by: client)
    return client.replies
  }

  @Test("The request, the sightings and status say how many devices a full item turned away")
  func fullItem() throws {
    let manifest = GatewayManifest.lights { _ in }.with { $0.gateway.capacities.matchesPerItem = 1 }
    let scenario = SetupScenario(
      manifest, scene: [.bulb(1, level: -40), .bulb(2, level: -60), .bulb(3, level: -70)])
    let app = scenario.app()
    scenario.watcher()
    app.call("ShowPicker", wait: 2)
    #expect(scenario.text.contains(" 2 turned away"), "\(scenario.text)")
    let replies = callGateway(scenario, "Sightings")
    #expect(replies.map { $0.object("device") != nil } == [true, false, false])
    #expect(replies.map { $0.object("turnedAway")?.integer("devices") } == [nil, 2, nil])
    let problem = try #require(scenario.status()?.objects("problems").first)
    #expect(problem.text("kind") == "itemFull")
    #expect(problem.text("sentence")?.hasPrefix("lights/bulb is full and has turned away 2 devices") == true)
  }

  @Test("A request does not count what items that it does not look for turned away")
  func otherItem() {
    let manifest = GatewayManifest.lights { _ in }.with { manifest in
      manifest.gateway.capacities.matchesPerItem = 1
      var other = manifest.apps[0].items[0]
      (other.id, other.name) = ("pump", "Pump")
      other.descriptor.companyIdentifier = 0x0101
      manifest.apps[0].items.append(other)
    }
    let scenario = SetupScenario(manifest, scene: [.bulb(1, level: -40), .bulb(2, level: -60)])
    let app = scenario.app()
    scenario.watcher()
    app.call("ShowPicker", #""items":[{"item":"pump"}]"#, wait: 2)
    #expect(scenario.text.contains("anna: setup lights looking"), "\(scenario.text)")
    #expect(!scenario.text.contains("turned away"), "\(scenario.text)")
  }

  @Test(
    "The request says of an item of buttons that the board misses presses",
    arguments: [(3_600_000, true), (3_600_000, false), (10_000, true)] as [(Int32, Bool)])
  func missedPresses(lostMilliseconds: Int32, isSlow: Bool) {
    let manifest = GatewayManifest.lights { $0.gate.lostMilliseconds = lostMilliseconds }
    let board = isSlow ? BoardProfile(name: "slow") : .attentive
    let scenario = SetupScenario(
      AgentHarness(manifest, scene: [.bulb(1)], access: .twoApps, board: board))
    let anna = scenario.watcher()
    let app = scenario.app()
    app.call("ShowPicker", wait: 1)
    let requests = anna.stream?.replies.compactMap { $0.object("request") } ?? []
    let note = requests.last?.objects("items").first?.text("note")
    let isButton = lostMilliseconds == 3_600_000
    #expect(!requests.isEmpty)
    #expect(
      note?.hasPrefix("sends only when pressed; this board listens 10 % ")
        == (isButton && isSlow ? true : nil))
  }

  @Test("The request says that a device sends too seldom ever to be let in")
  func tooSlow() {
    let manifest = GatewayManifest.lights { item in
      item.descriptor.range = .immediate
      item.gate.isImmediate = true
    }
    var bulb = SceneDevice.bulb(1, level: -40)
    bulb.intervalMilliseconds = 8000
    let scenario = SetupScenario(manifest, scene: [bulb, .bulb(2, level: -70)])
    let app = scenario.app()
    scenario.watcher()
    scenario.run(seconds: 60)
    app.call("ShowPicker", wait: 2)
    #expect(scenario.text.contains("anna: setup lights looking 1 too slow"), "\(scenario.text)")
  }
}
