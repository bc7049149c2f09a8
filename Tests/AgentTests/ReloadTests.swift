// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import Discovery
import HCI
import Interfaces
import JSON
import Manifest
import Testing
import Varlink

@Suite("Reloading the manifest")
struct ReloadTests {
  private func configuration(_ manifest: GatewayManifest, digest: String? = nil) -> ManifestReading {
    var configuration = AgentCore.Configuration(manifest, board: .attentive, access: .operators)
    configuration.manifestDigest = digest
    return .accepted(
      configuration, radioSource: "h4:bench", warnings: ["accessoryd.toml:3: app.lights: a warning"])
  }

  @Test("The digest of the manifest in force is in the reply, and then in the status")
  func digest() throws {
    let harness = AgentHarness(.lights)
    let client = try #require(harness.connect())
    #expect(harness.call("Status", by: client).first?["manifestDigest"] == nil)
    let digest = String(repeating: "ab", count: 32)
    harness.reading = configuration(.lights, digest: digest)
    #expect(harness.call("Reload", by: client).first?.text("manifestDigest") == digest)
    harness.reading = .refused(findings: ["accessoryd.toml:1: this is wrong"])
    harness.call("Reload", by: client)
    #expect(harness.call("Status", by: client).first?.text("manifestDigest") == digest)
  }

  @Test("The reply counts the items that stay, come and go; sightings of unchanged items continue")
  func reloads() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1, level: -40)], after: 3000)
    let watcher = try #require(harness.connect())
    harness.call("Watch", by: watcher, more: true)
    harness.reading = configuration(GatewayManifest.lights.with { $0.apps[0].items[1].gate.enterRSSI = -45 })
    let client = try #require(harness.connect())
    let reply = try #require(harness.call("Reload", by: client).first)
    #expect(reply.integer("itemsKept") == 1)
    #expect(reply.integer("itemsAdded") == 1)
    #expect(reply.integer("itemsRemoved") == 1)
    #expect(reply["hasRestartedRadio"] == .bool(false))
    #expect(reply["warnings"] == .array([.string("accessoryd.toml:3: app.lights: a warning")]))
    harness.run(milliseconds: 3000)
    #expect(watcher.events.map { $0.text("item") } == ["held", "held"])
    #expect(watcher.events.map { $0.text("event") } == ["lost", "found"])
    #expect(watcher.events.first?.text("reason") == "reload")
  }

  @Test(
    "A broken manifest changes nothing and its findings are returned; status keeps the problem until a good reload"
  )
  func refuses() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1)], after: 2000)
    let client = try #require(harness.connect())
    harness.reading = .refused(findings: (0..<60).map { "accessoryd.toml:\($0): this is wrong" })
    let reply = try #require(harness.call("Reload", by: client).first)
    #expect(reply.error == "io.accessoryd.Gateway.ManifestRefused")
    guard case .array(let findings)? = reply["findings"] else {
      Issue.record("there are findings")
      return
    }
    #expect(findings.count == 50 && reply.integer("omitted") == 10)
    #expect(harness.call("Status", by: client).first?["problems"] != .array([]))
    harness.reading = configuration(.lights)
    harness.call("Reload", by: client)
    #expect(harness.call("Status", by: client).first?["problems"] == .array([]))
    #expect(harness.agent.counters.reloads == 1 && harness.agent.counters.reloadsRefused == 1)
  }

  @Test("A caller waits for the next reading if one is already in progress")
  func queues() throws {
    let harness = AgentHarness(.lights)
    let clients = try (0..<3).map { _ in try #require(harness.connect()) }
    harness.call("Reload", by: clients[0])
    harness.call("Reload", by: clients[1])
    harness.call("Reload", by: clients[2])
    #expect(harness.readingCount == 1)
    harness.manifestWasRead(configuration(.lights))
    #expect(clients.map(\.replies.count) == [1, 0, 0])
    #expect(harness.readingCount == 2)
    harness.manifestWasRead(.refused(findings: ["x"]))
    #expect(clients.map(\.replies.count) == [1, 1, 1])
    #expect(harness.readingCount == 2)
  }

  @Test("A reload continues when its caller disconnects; a signal needs no caller")
  func withoutCaller() throws {
    let harness = AgentHarness(.lights)
    let client = try #require(harness.connect())
    harness.call("Reload", by: client)
    harness.hangUp(client)
    harness.manifestWasRead(configuration(.lights))
    harness.readManifestAgain()
    #expect(harness.readingCount == 2)
    harness.manifestWasRead(configuration(.lights))
    #expect(harness.agent.counters.reloads == 2)
  }

  @Test("A new radio is opened after the scan of the one before has ended; the same one stays open")
  func radio() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1)], after: 1000)
    harness.reading = configuration(GatewayManifest.lights.with { $0.gateway.radio = .index(3) })
    harness.readManifestAgain()
    #expect(harness.commands.last == .leSetExtendedScanEnable(false))
    #expect(harness.opened == [.h4("bench"), .index(3)])
    #expect(harness.agent.radioState == .absent)
  }

  @Test("Every reload opens an absent radio again")
  func absentRadio() throws {
    let harness = AgentHarness(.lights)
    harness.radioVanishes()
    harness.reading = configuration(.lights)
    let client = try #require(harness.connect())
    #expect(harness.call("Reload", by: client).first?["hasRestartedRadio"] == .bool(true))
    #expect(harness.opened == [.h4("bench"), .h4("bench")])
  }

  @Test("A lower limit keeps the present connections and admits no more")
  func fewerConnections() throws {
    let harness = AgentHarness(.lights)
    let clients = try (0..<10).map { _ in try #require(harness.connect()) }
    harness.reading = configuration(
      GatewayManifest.lights.with { manifest in
        manifest.gateway.limits.connections = 4
        manifest.gateway.limits.connectionsForOperators = 1
      })
    harness.readManifestAgain()
    #expect(harness.call("Status", by: clients[9]).first?.integer("connections") == 10)
    // A reserved place, which takes no stream.
    let further = try #require(harness.connect())
    #expect(
      harness.call("Watch", by: further, more: true).first?.error
        == "io.accessoryd.Gateway.TooManyConnections")
    for client in clients.dropFirst(2) { harness.hangUp(client) }
    let admitted = try #require(harness.connect())
    #expect(harness.call("Watch", by: admitted, more: true).first?.error == nil)
  }
}
