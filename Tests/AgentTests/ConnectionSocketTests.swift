// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
@testable import AgentRuntime
import Glibc
import LinuxSystem
import Manifest
import Setup
import Testing
import Varlink
import VirtualRadio

/// Connections at the running loop, with an app at its socket.
@Suite("The sockets of connections", .enabled(if: ScenarioTransport.canBeSocket))
struct ConnectionSocketTests {
  private let harness: SocketHarness
  private let scenario: SetupScenario
  private let app: ScenarioApp

  init() {
    let manifest = GatewayManifest.lights { _ in }.with { $0.gateway.radio = .index(3) }
    harness = SocketHarness(
      manifest, scene: [.bulb(1)], access: .twoApps, registry: StandInRegistryFile(), run: 1)
    scenario = SetupScenario(harness)
    app = scenario.app()
    let anna = scenario.watcher()
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    harness.shareAdapter()
  }

  private func connect() throws -> SocketClient {
    let client = try #require(harness.connect(user: 1000) as? SocketClient)
    let parameters = #""session":"\#(app.token)","accessory":"\#(app.accessory)""#
    harness.send(Message.text("io.accessoryd.Session.Connect", parameters, more: false), by: client)
    return client
  }

  @Test("The app's socket leads to the device, and the device notices when the app closes it")
  func passes() throws {
    let client = try connect()
    #expect(client.replies.map(\.error) == [nil], "\(client.replies)")
    #expect(client.passed.count == 1)
    let device = try #require(harness.links.devices.first)
    #expect(try device.descriptor.write([0x0B, 1, 2][...]) == 3)
    var packet = [UInt8](repeating: 0, count: 16)
    let count = try client.passed.first?.descriptor.read(into: &packet)
    #expect(count == 3 && packet.prefix(3) == [0x0B, 1, 2])
    #expect(try device.descriptor.read(into: &packet) == nil)
    client.closePassed()
    // The agent has no copy of it, nor does its epoll set.
    #expect(try device.descriptor.read(into: &packet) == 0)
  }

  @Test(
    "What the system refuses is a typed error",
    arguments: [(EBUSY, "UserRestricted"), (EMFILE, "ConnectionFailed"), (EHOSTDOWN, "ConnectionFailed")])
  func refused(code: Int32, name: String) throws {
    harness.links.error = SystemError(.connect, code: code)
    let client = try connect()
    #expect(client.replies.map(\.error) == ["io.accessoryd.Session.\(name)"])
    #expect(client.passed.isEmpty)
  }
}
