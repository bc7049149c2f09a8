// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import AdapterSupport
import Agent
import Controller
import HCI
import JSON
import Manifest
import Registry
import Setup
import Testing
import Varlink

@Suite("Accessories that await authorization")
struct AwaitingScenarios {
  /// The bulb awaits the app `lights`, which asked for it about three seconds ago.
  private func awaiting() -> (bench: ConnectionBench, other: ScenarioApp) {
    let bench = ConnectionBench { $0.apps[0].items[0].setupOptions = .confirmAuthorization }
    return (bench, bench.scenario.app(as: "other"))
  }

  private func error(_ call: ScenarioCall) -> String {
    "\(call.replies.last?.error?.drop(through: ".") ?? "none")"
  }

  private func state(_ bench: ConnectionBench) -> Int64? {
    bench.lights.call("List").replies.compactMap { $0.object("accessory")?.integer("state") }.first
  }

  @Test("The session that asked connects to it and learns its address; another session of the app does not")
  func connects() throws {
    let (bench, other) = awaiting()
    #expect(state(bench) == 10)
    let call = bench.connected(bench.lights)
    #expect(error(call) == "none" && bench.connectedCount == 1)
    #expect(bench.lights.call("Resolve", about: bench.lights.accessory).replies.last?.text("address") != nil)
    for method in ["Connect", "Resolve"] {
      let refused = other.call(method, about: bench.lights.accessory)
      #expect(error(refused) == "InvalidRequest" && refused.replies.last?.text("field") == "accessory")
    }
  }

  @Test("Its advertisements go to the session that asked, and after the authorization to every session")
  func advertisements() {
    let (bench, other) = awaiting()
    let own = bench.lights.call("WatchAdvertisements", #""interval":0"#)
    let others = other.call("WatchAdvertisements", #""interval":0"#, wait: 2)
    let count = { (call: ScenarioCall) in call.replies.count { $0.object("advertisement") != nil } }
    #expect(count(own) > 2 && count(others) == 0)
    bench.lights.call("FinishAuthorization", about: bench.lights.accessory, wait: 2)
    #expect(count(others) > 2)
  }

  @Test("A connection outlives the authorization, and is the app's")
  func finishes() {
    let (bench, other) = awaiting()
    bench.connected(bench.lights)
    #expect(error(bench.lights.call("FinishAuthorization", about: bench.lights.accessory)) == "none")
    bench.scenario.run(seconds: 1)
    #expect(bench.connectedCount == 1 && state(bench) == 20)
    other.call("Connect", about: bench.lights.accessory)
    #expect(bench.harness.openLinks.map(\.target.address) == [ConnectionBench.bulb])
  }

  @Test(
    "When the app gives it back or says nothing, the connection ends and nothing stays",
    arguments: [true, false])
  func fails(givesBack: Bool) {
    let (bench, _) = awaiting()
    bench.connected(bench.lights)
    let accessory = bench.lights.accessory
    if givesBack { bench.lights.call("FailAuthorization", about: accessory) }
    bench.scenario.run(seconds: givesBack ? 1 : 121)
    #expect(bench.harness.managed.contains { $0.opcode == .disconnect })
    bench.ends(.byLocalHost)
    #expect(bench.connectedCount == 0 && state(bench) == nil)
    #expect(error(bench.lights.call("Connect", about: accessory)) == "InvalidRequest")
    #expect(bench.harness.registry.saved.accessories.map(\.app) == ["garden"])
  }

  @Test("When the session ends its connection does, and the app's next one finishes without using it before")
  func nextRun() {
    let (bench, other) = awaiting()
    bench.connected(bench.lights)
    let accessory = bench.lights.accessory
    bench.lights.hangUp()
    bench.scenario.run(seconds: 11)
    #expect(bench.harness.managed.contains { $0.opcode == .disconnect })
    bench.ends(.byLocalHost)
    #expect(error(other.call("Connect", about: accessory)) == "InvalidRequest")
    #expect(error(other.call("FinishAuthorization", about: accessory)) == "none")
    bench.scenario.run(seconds: 1)
    let call = other.call("Connect", about: accessory)
    bench.opens()
    #expect(error(call) == "none")
  }

  @Test("A bonded one can be connected to, and its address stays the agent's")
  func bonded() {
    let bench = KernelPairingBench(.justWorks, confirms: true)
    bench.chooses(wait: 2)
    #expect(bench.harness.setupCore.registry.accessories.map(\.state) == [.awaitingAuthorization])
    #expect(error(bench.lights.call("Resolve", about: bench.lights.accessory)) == "InvalidRequest")
    bench.lights.call("Connect", about: bench.lights.accessory)
    #expect(bench.harness.openLinks.map(\.target.isBonded) == [true])
  }
}
