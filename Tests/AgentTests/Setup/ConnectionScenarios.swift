// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import AdapterSupport
import Agent
import Controller
import HCI
import Interfaces
import JSON
import Manifest
import Registry
import Setup
import Testing
import Varlink
import VirtualRadio

@Suite("Connections of apps to their accessories")
struct ConnectionScenarios {
  // MARK: - Making them

  @Test("An app gets the connected socket beside its reply, and the agent keeps no copy")
  func connects() throws {
    let bench = ConnectionBench()
    let call = bench.connect(bench.lights)
    let request = try #require(bench.harness.openLinks.first)
    #expect(request.target.address == ConnectionBench.bulb)
    #expect(request.target.adapterAddress == 0x0605_0403_0201 && !request.target.isBonded)
    #expect(call.replies.isEmpty && bench.connectedCount == 0)
    bench.opens()
    #expect(call.replies.map(\.error) == [nil])
    #expect(bench.harness.passedLinks.map(\.link) == [request.id])
    #expect(bench.harness.openLinks.isEmpty)
    #expect(bench.connectedCount == 1)
    #expect(bench.notices == [.connected(app: "lights", try bench.identifier(bench.lights))])
  }

  @Test("Nothing else is sent with the socket: earlier replies go before it")
  func onlyItsReply() throws {
    let bench = ConnectionBench()
    let client = try #require(bench.harness.connect(user: 1000))
    client.readableByteCount = 0
    let list = Message.text("io.accessoryd.Session.List", #""session":"\#(bench.lights.token)""#, more: true)
    let connect = Message.text(
      "io.accessoryd.Session.Connect",
      #""session":"\#(bench.lights.token)","accessory":"\#(bench.lights.accessory)""#, more: false)
    bench.harness.send(list + connect, by: client)
    bench.opens()
    let id = bench.harness.id(of: client)
    #expect(bench.harness.agent.socketToPass(to: id) == nil)
    client.readableByteCount = .max
    bench.harness.turn()
    #expect(client.replies.count == 2 && bench.harness.passedLinks.isEmpty)
    bench.harness.turn()
    #expect(client.replies.count == 3 && bench.harness.passedLinks.map(\.client) == [id])
  }

  @Test("An accessory that is not reached within 30 s is an error that may pass")
  func outOfReach() throws {
    let bench = ConnectionBench()
    let call = bench.connect(bench.lights)
    bench.scenario.run(seconds: 29.9)
    #expect(call.replies.isEmpty)
    bench.scenario.run(seconds: 0.2)
    #expect(bench.failure(call)?.error == "ConnectionFailed")
    #expect(bench.harness.openLinks.isEmpty && bench.connectedCount == 0)
    #expect(bench.notices == [.failed(app: "lights", try bench.identifier(bench.lights), .timeout)])
  }

  @Test(
    "What the kernel or the system refuses is an error that may pass",
    arguments: [LinkError.refused("Host is down"), .broken, .exhausted])
  func refused(error: LinkError) {
    let bench = ConnectionBench()
    let call = bench.connect(bench.lights)
    bench.harness.linkFails(error)
    bench.scenario.collect()
    #expect(bench.failure(call)?.error == "ConnectionFailed")
    #expect(bench.connectedCount == 0)
  }

  @Test("A second app is refused while the first is being connected or connected, without its name")
  func inUse() throws {
    let bench = ConnectionBench()
    _ = bench.connect(bench.lights)
    let refused = bench.connect(bench.garden)
    var second = try #require(bench.failure(refused))
    #expect(second.error == "UserRestricted" && !second.reason.contains("lights"))
    #expect(
      refused.replies.last?.text("cure")
        == "try again when that connection has ended; an operator can end it with accessoryctl disconnect")
    bench.opens()
    let call = bench.connect(bench.garden)
    // The kernel has one ATT channel for each link.
    bench.harness.linkFails(.busy)
    bench.scenario.collect()
    second = try #require(bench.failure(call))
    #expect(second.error == "UserRestricted" && !second.reason.contains("lights"))
    #expect(bench.connectedCount == 1)
  }

  @Test("An app that has closed its socket connects again although the link lingers")
  func lingering() throws {
    let bench = ConnectionBench()
    bench.connected(bench.lights)
    let call = bench.connected(bench.garden)
    #expect(call.replies.map(\.error) == [nil])
    #expect(bench.connectedCount == 1)
    bench.scenario.run(seconds: 3)
    let lights = try bench.identifier(bench.lights)
    #expect(bench.notices.contains(.ended(app: "lights", lights, .app, seconds: 0)))
    bench.ends(.byLocalHost)
    #expect(bench.connectedCount == 0)
    let garden = try bench.identifier(bench.garden)
    #expect(bench.notices.last == .ended(app: "garden", garden, .app, seconds: 3))
  }

  @Test("Another call of the session replaces an attempt, and a caller that leaves ends it")
  func replaced() {
    let bench = ConnectionBench()
    let first = bench.connect(bench.lights)
    let second = bench.connect(bench.lights)
    bench.scenario.collect()
    #expect(bench.failure(first)?.error == "UserCancelled")
    #expect(bench.harness.openLinks.count == 1)
    second.hangUp()
    #expect(bench.harness.openLinks.isEmpty)
    // A device that was connected for a caller that has left is disconnected by the kernel, once its socket is closed.
    bench.harness.agent.linkOpened(LinkID(number: 2), at: bench.harness.now)
    bench.harness.turn()
    #expect(bench.harness.passedLinks.isEmpty && bench.connectedCount == 0)
  }

  @Test("A caller that leaves before it has read its reply gets no socket")
  func leaves() throws {
    let bench = ConnectionBench()
    let client = try #require(bench.harness.connect(user: 1000))
    client.readableByteCount = 0
    let connect = Message.text(
      "io.accessoryd.Session.Connect",
      #""session":"\#(bench.lights.token)","accessory":"\#(bench.lights.accessory)""#, more: false)
    bench.harness.send(connect, by: client)
    bench.opens()
    #expect(bench.harness.openLinks.count == 1)
    bench.harness.hangUp(client)
    #expect(bench.harness.openLinks.isEmpty && bench.harness.passedLinks.isEmpty)
  }

  // MARK: - What this gateway cannot do

  @Test("Where the gateway cannot connect, the error says why")
  func cannot() throws {
    let exclusive = ConnectionBench({ $0.gateway.access = .exclusive }, as: .adapter(index: 3))
    var failure = try #require(exclusive.failure(exclusive.connect(exclusive.lights)))
    #expect(failure.error == "InvalidRequest" && failure.reason.contains(#"access = "exclusive""#))
    let simulated = ConnectionBench({ $0.gateway.radio = .h4("bench") }, as: .controller)
    failure = try #require(simulated.failure(simulated.connect(simulated.lights)))
    #expect(failure.error == "InvalidRequest" && failure.reason.contains("simulated"))
    let listening = ConnectionBench(as: .listener)
    failure = try #require(listening.failure(listening.connect(listening.lights)))
    #expect(failure.error == "InvalidRequest" && failure.reason.contains("CAP_NET_ADMIN"))
    let absent = ConnectionBench()
    absent.harness.radioVanishes()
    failure = try #require(absent.failure(absent.connect(absent.lights)))
    #expect(failure.error == "ConnectionFailed" && failure.reason.contains("it was pulled out"))
  }

  @Test("A bonded accessory is connected by its identity with its keys, and its address is secret")
  func bonded() throws {
    let first = ConnectionBench()
    var registry = first.harness.registry
    registry.setBonds(.bonded(BondRecord(owner: .bluetoothd, isAuthenticated: false)))
    let manifest = GatewayManifest.lightsAndGarden.with { $0.gateway.radio = .index(3) }
    let harness = AgentHarness(manifest, access: .twoApps, registry: registry, run: 2)
    harness.kernel = StandInKernel()
    harness.runsBluetoothd = true
    harness.radioComes(as: .sharedAdapter(index: 3))
    let scenario = SetupScenario(harness)
    let app = scenario.app()
    scenario.run(seconds: 1)
    app.call("Connect", about: first.lights.accessory)
    #expect(harness.openLinks.map(\.target.isBonded) == [true])
    #expect(harness.openLinks.map(\.target.address) == [ConnectionBench.bulb])
    let call = app.call("Resolve", about: first.lights.accessory)
    #expect(call.replies.last?.error == "io.accessoryd.Session.InvalidRequest")
    #expect(call.replies.last?.text("cure")?.contains("Connect") == true)
  }

  // MARK: - Ending them

  @Test(
    "The end of a link is an event for operators, with what ended it",
    arguments: [
      (MgmtDisconnectReason.byLocalHost, "app"), (.byRemoteHost, "accessory"), (.timeout, "lost"),
      (.authenticationFailed, "bond"),
    ])
  func events(reason: MgmtDisconnectReason, end: String) throws {
    let bench = ConnectionBench()
    let client = try #require(bench.harness.connect())
    bench.harness.call("Watch", by: client, more: true)
    bench.connected(bench.lights)
    bench.scenario.run(seconds: 2)
    bench.ends(reason)
    let events = client.replies.compactMap { $0.object("connection") }
    #expect(events.map { $0.text("event") } == ["connected", "disconnected"])
    #expect(events.map { $0.text("app") } == ["lights", "lights"])
    #expect(events.map { $0.text("accessory") } == [bench.lights.accessory, bench.lights.accessory])
    #expect(events.map { $0.text("address") } == ["C0:00:00:00:00:01", "C0:00:00:00:00:01"])
    #expect(events.map { $0.text("end") } == [nil, end])
    #expect(bench.connectedCount == 0)
  }

  @Test("The connection ends with the app's right to the accessory")
  func removed() throws {
    let bench = ConnectionBench()
    bench.connected(bench.lights)
    let identifier = try bench.identifier(bench.lights)
    bench.lights.call("RemoveAccessory", about: bench.lights.accessory)
    #expect(bench.harness.managed.last == .disconnect(ConnectionBench.bulb, 3))
    #expect(bench.harness.kernel?.links == [])
    #expect(bench.notices.last == .ended(app: "lights", identifier, .removed, seconds: 0))
    // The other app still has the device.
    #expect(bench.connected(bench.garden).replies.map(\.error) == [nil])
  }

  @Test("An attempt ends with the app's right to the accessory")
  func removedMeanwhile() {
    let bench = ConnectionBench()
    let call = bench.connect(bench.lights)
    bench.lights.call("RemoveAccessory", about: bench.lights.accessory)
    bench.scenario.collect()
    #expect(bench.failure(call)?.error == "InvalidRequest")
    #expect(bench.harness.openLinks.isEmpty)
  }

  @Test("The connection ends with its session: at once when the app ends it, else within 12 s")
  func session() {
    let bench = ConnectionBench()
    bench.connected(bench.lights)
    bench.lights.call("Invalidate")
    #expect(bench.harness.kernel?.links == [])
    bench.connected(bench.garden)
    bench.garden.hangUp()
    bench.scenario.run(seconds: 9.9)
    #expect(bench.harness.kernel?.links == [ConnectionBench.bulb])
    bench.scenario.run(seconds: 0.3)
    #expect(bench.harness.kernel?.links == [])
  }

  @Test("The kernel is asked again while it is busy with another program's command")
  func busyKernel() {
    let bench = ConnectionBench()
    bench.connected(bench.lights)
    bench.harness.kernel?.refusals[.disconnect] = .busy
    bench.lights.call("Invalidate", wait: 1)
    #expect(bench.harness.kernel?.links == [ConnectionBench.bulb] && bench.connectedCount == 1)
    bench.harness.kernel?.refusals = [:]
    bench.scenario.run(seconds: 1.2)
    #expect(bench.harness.kernel?.links == [] && bench.connectedCount == 0)
  }

  @Test("Before the agent ends, it ends every connection")
  func agentEnds() {
    let bench = ConnectionBench()
    bench.connected(bench.lights)
    #expect(bench.harness.agent.restoringCommands.last == .disconnect(ConnectionBench.bulb, 3))
  }

  @Test("A radio that vanishes takes connections and attempts with it")
  func radioVanishes() throws {
    let bench = ConnectionBench()
    bench.connected(bench.lights)
    let call = bench.connect(bench.garden)
    bench.harness.radioVanishes()
    bench.scenario.collect()
    #expect(bench.failure(call)?.error == "ConnectionFailed")
    #expect(bench.connectedCount == 0 && bench.harness.openLinks.isEmpty)
    let identifier = try bench.identifier(bench.lights)
    #expect(bench.notices.contains(.ended(app: "lights", identifier, .radio, seconds: 0)))
    // The kernel may have kept the link.
    #expect(bench.harness.kernel?.links == [ConnectionBench.bulb])
    bench.harness.radioComes(as: .sharedAdapter(index: 3))
    #expect(bench.harness.kernel?.links == [])
  }

  // MARK: - Operators

  @Test("An operator sees who is connected, and ends it")
  func disconnect() throws {
    let bench = ConnectionBench()
    let states = {
      bench.anna.call("List").replies.compactMap { $0.object("accessory")?.text("connection") }
    }
    #expect(states() == [])
    _ = bench.connect(bench.lights)
    #expect(states() == ["connecting"])
    bench.opens()
    #expect(states() == ["connected"])
    let parameters = #""accessory":"\#(bench.lights.accessory)""#
    #expect(bench.anna.call("Disconnect", parameters).replies.map(\.error) == [nil])
    #expect(states() == [] && bench.harness.kernel?.links == [])
    let identifier = try bench.identifier(bench.lights)
    #expect(bench.notices.last == .ended(app: "lights", identifier, .operator, seconds: 0))
    let again = bench.anna.call("Disconnect", parameters).replies.last
    #expect(
      again?.error == "io.accessoryd.Operator.NotDisconnected" && again?.text("reason") == "notConnected")
    let unknown = bench.anna.call("Disconnect", #""accessory":"00""#).replies.last
    #expect(unknown?.error == "io.accessoryd.Operator.NotFound")
  }

  @Test("An operator ends a connection that an agent before this one has left, and an attempt")
  func leftover() {
    let bench = ConnectionBench()
    let parameters = #""accessory":"\#(bench.lights.accessory)""#
    bench.harness.kernel?.links = [ConnectionBench.bulb]
    #expect(bench.anna.call("Disconnect", parameters).replies.map(\.error) == [nil])
    #expect(bench.harness.kernel?.links == [])
    let call = bench.connect(bench.lights)
    #expect(bench.anna.call("Disconnect", parameters).replies.map(\.error) == [nil])
    bench.scenario.collect()
    #expect(bench.failure(call)?.error == "UserCancelled")
  }

  @Test("A kernel that does not end a connection is an error after 12 s at the latest")
  func refusedDisconnection() {
    let bench = ConnectionBench()
    bench.connected(bench.lights)
    bench.harness.kernel?.isMute = true
    let call = bench.anna.call("Disconnect", #""accessory":"\#(bench.lights.accessory)""#)
    #expect(call.replies.isEmpty)
    bench.scenario.run(seconds: 12.1)
    #expect(call.replies.last?.text("reason") == "refused")
  }

  @Test("What was connected is counted")
  func metrics() throws {
    let bench = ConnectionBench()
    bench.connected(bench.lights)
    _ = bench.connect(bench.garden)
    bench.harness.linkFails(.busy)
    bench.ends(.timeout)
    bench.connected(bench.garden)
    let client = try #require(bench.harness.connect())
    let text = try #require(bench.harness.call("Metrics", by: client).first?.text("text"))
    for line in [
      "accessoryd_accessories_connected 1", "accessoryd_accessory_connections_total 2",
      #"accessoryd_accessory_connections_failed_total{reason="inUse"} 1"#,
      #"accessoryd_accessory_connections_ended_total{end="lost"} 1"#,
    ] { #expect(text.contains(line + "\n"), "\(text)") }
  }

  // MARK: - Signal strength

  @Test("An app reads how strong the signal of its connection is")
  func rssi() {
    let bench = ConnectionBench()
    let read = { bench.lights.call("ReadRSSI", about: bench.lights.accessory).replies.last }
    #expect(read()?.error == "io.accessoryd.Session.ConnectionFailed")
    bench.connected(bench.lights)
    bench.harness.kernel?.rssi = -61
    #expect(read()?.integer("rssi") == -61)
    // The controller does not know.
    bench.harness.kernel?.rssi = 127
    #expect(read()?.error == "io.accessoryd.Session.ConnectionFailed")
    bench.harness.kernel?.links = []
    #expect(read()?.error == "io.accessoryd.Session.ConnectionFailed")
    #expect(bench.connectedCount == 0)
  }

  @Test("A kernel that does not reply to a reading is an error after 5 s")
  func muteKernel() {
    let bench = ConnectionBench()
    bench.connected(bench.lights)
    bench.harness.kernel?.isMute = true
    let call = bench.lights.call("ReadRSSI", about: bench.lights.accessory, wait: 4.9)
    #expect(call.replies.isEmpty)
    bench.scenario.run(seconds: 0.2)
    #expect(bench.failure(call)?.error == "ConnectionFailed")
  }
}
