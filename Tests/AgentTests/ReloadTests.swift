// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Discovery
import HCI
import JSON
import Manifest
import Testing
import Varlink

@Suite("Reading the manifest again")
struct ReloadTests {
  private func configuration(_ manifest: GatewayManifest) -> ManifestReading {
    .accepted(
      AgentCore.Configuration(manifest, board: .attentive, access: .operators), radioSource: "h4:bench",
      warnings: ["accessoryd.toml:3: app.lights: a warning"])
  }

  @Test("The caller is told what became of the items, and sightings of unchanged ones live on")
  func reloads() throws {
    let bench = Workbench(.lights, scene: [.bulb(1, level: -40)])
    bench.run(milliseconds: 3000)
    let watcher = try #require(bench.connect())
    bench.call("Watch", by: watcher, more: true)
    bench.reading = configuration(GatewayManifest.lights.with { $0.apps[0].items[1].gate.enterRSSI = -45 })
    let client = try #require(bench.connect())
    let reply = try #require(bench.call("Reload", by: client).first)
    #expect(reply.integer("itemsKept") == 1)
    #expect(reply.integer("itemsAdded") == 1)
    #expect(reply.integer("itemsRemoved") == 1)
    #expect(reply["hasRestartedRadio"] == .bool(false))
    #expect(reply["warnings"] == .array([.string("accessoryd.toml:3: app.lights: a warning")]))
    bench.run(milliseconds: 3000)
    #expect(watcher.events.map { $0.text("item") } == ["held", "held"])
    #expect(watcher.events.map { $0.text("event") } == ["lost", "found"])
    #expect(watcher.events.first?.text("reason") == "reload")
  }

  @Test(
    "A broken manifest changes nothing and says where it is broken; status remembers until a good one comes")
  func refuses() throws {
    let bench = Workbench(.lights, scene: [.bulb(1)])
    bench.run(milliseconds: 2000)
    let client = try #require(bench.connect())
    bench.reading = .refused(findings: (0..<60).map { "accessoryd.toml:\($0): this is wrong" })
    let reply = try #require(bench.call("Reload", by: client).first)
    #expect(reply.error == "io.accessoryd.Gateway.ManifestRefused")
    guard case .array(let findings)? = reply["findings"] else {
      Issue.record("findings are told")
      return
    }
    #expect(findings.count == 50 && reply.integer("omitted") == 10)
    #expect(bench.call("Status", by: client).first?["problems"] != .array([]))
    bench.reading = configuration(.lights)
    bench.call("Reload", by: client)
    #expect(bench.call("Status", by: client).first?["problems"] == .array([]))
    #expect(bench.agent.counters.reloads == 1 && bench.agent.counters.reloadsRefused == 1)
  }

  @Test("Who asks while the file is being read waits for the next reading")
  func queues() throws {
    let bench = Workbench(.lights)
    let clients = try (0..<3).map { _ in try #require(bench.connect()) }
    bench.call("Reload", by: clients[0])
    bench.call("Reload", by: clients[1])
    bench.call("Reload", by: clients[2])
    #expect(bench.readingsAsked == 1)
    bench.manifestWasRead(configuration(.lights))
    #expect(clients.map(\.replies.count) == [1, 0, 0])
    #expect(bench.readingsAsked == 2)
    bench.manifestWasRead(.refused(findings: ["x"]))
    #expect(clients.map(\.replies.count) == [1, 1, 1])
    #expect(bench.readingsAsked == 2)
  }

  @Test("A caller that dies meanwhile is not waited for; a signal needs no caller")
  func withoutCaller() throws {
    let bench = Workbench(.lights)
    let client = try #require(bench.connect())
    bench.call("Reload", by: client)
    bench.hangUp(client)
    bench.manifestWasRead(configuration(.lights))
    bench.readManifestAgain()
    #expect(bench.readingsAsked == 2)
    bench.manifestWasRead(configuration(.lights))
    #expect(bench.agent.counters.reloads == 2)
  }

  @Test("Another radio is opened; the same one is left alone")
  func radio() throws {
    let bench = Workbench(.lights, scene: [.bulb(1)])
    bench.run(milliseconds: 1000)
    bench.reading = configuration(GatewayManifest.lights.with { $0.gateway.radio = .index(3) })
    bench.readManifestAgain()
    #expect(bench.opened == [.h4("bench"), .index(3)])
    #expect(bench.agent.radioState == .absent)
  }

  @Test("A radio that is absent is opened again by every reload")
  func absentRadio() throws {
    let bench = Workbench(.lights)
    bench.radioVanishes()
    bench.reading = configuration(.lights)
    let client = try #require(bench.connect())
    #expect(bench.call("Reload", by: client).first?["hasRestartedRadio"] == .bool(true))
    #expect(bench.opened == [.h4("bench"), .h4("bench")])
  }

  @Test("Fewer connections keep those that are there and admit no more")
  func fewerConnections() throws {
    let bench = Workbench(.lights)
    let clients = try (0..<10).map { _ in try #require(bench.connect()) }
    bench.reading = configuration(
      GatewayManifest.lights.with { manifest in
        manifest.gateway.limits.connections = 4
        manifest.gateway.limits.connectionsForOperators = 1
      })
    bench.readManifestAgain()
    #expect(bench.call("Status", by: clients[9]).first?.integer("connections") == 10)
    #expect(bench.connect() == nil)
    for client in clients.dropFirst(2) { bench.hangUp(client) }
    #expect(bench.connect() != nil)
  }
}
