// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import Testing
import Varlink
import VarlinkClient
import VirtualRadio

@Suite("The own sockets of apps", .overEveryTransport)
struct AppSocketScenarios {
  private static let methods = [
    "Gateway.Status", "Gateway.Sightings", "Gateway.Watch", "Gateway.Reload", "Operator.List",
    "Operator.WatchRequests",
    "Operator.Choose", "Operator.Export",
  ]

  /// Lights and garden, each with a socket of its own.
  private static var manifest: GatewayManifest {
    .lightsAndGarden.with { manifest in
      for app in manifest.apps.indices { manifest.apps[app].hasOwnSocket = true }
    }
  }

  private static var access: AccessList {
    var access = AccessList.twoApps
    access.appsWithSocket = ["lights", "garden"]
    return access
  }

  private func scenario() -> SetupScenario {
    SetupScenario(Self.manifest, access: Self.access)
  }

  private func send(
    _ method: String, _ parameters: String = "", more: Bool = false, to scenario: SetupScenario,
    user: UInt32, atSocketOf app: String?
  ) throws -> ReceivedReply {
    let client = try #require(scenario.harness.connect(user: user, atSocketOf: app))
    scenario.harness.send(Message.text("io.accessoryd.\(method)", parameters, more: more), by: client)
    defer { scenario.harness.hangUp(client) }
    return try #require(client.replies.first)
  }

  @Test("Root is the app there, needs no name, and sets up an accessory")
  func root() {
    let scenario = scenario()
    let (app, anna) = (scenario.app(user: 0, hasOwnSocket: true), scenario.watcher())
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    app.call("List")
    #expect(
      scenario.text.hasSuffix(
        """
        2.0 lights: List → a1 Lumo bulb authorized
        2.0 lights: List → done
        """))
    #expect(scenario.text.contains("lights: accessoryAdded a1 Lumo bulb authorized"))
  }

  @Test("Operators' methods are refused there, even for root", arguments: methods)
  func operators(method: String) throws {
    let scenario = scenario()
    let refusal = try send(method, more: true, to: scenario, user: 0, atSocketOf: "lights")
    #expect(refusal.error == "org.varlink.service.PermissionDenied")
    #expect(
      refusal.text("reason")
        == #"this socket belongs to the app "lights", and every program here is that app alone"#)
    #expect(refusal.text("cure") == "an operator calls this method at the agent's own socket")
    let elsewhere = try send("Gateway.Status", to: scenario, user: 0, atSocketOf: nil)
    #expect(elsewhere.error == nil)
  }

  @Test("Another app's name is refused there in the same words as one that no app has")
  func otherApp() throws {
    let scenario = scenario()
    for name in ["garden", "nothing"] {
      let refusal = try send(
        "Session.Activate", #""app":"\#(name)""#, more: true, to: scenario, user: 0, atSocketOf: "lights")
      #expect(refusal.error == "io.accessoryd.Session.ActivationFailed")
      #expect(refusal.text("reason") == #"this socket belongs to the app "lights""#)
    }
    let own = try send(
      "Session.Activate", #""app":"lights""#, more: true, to: scenario, user: 0, atSocketOf: "lights")
    #expect(own.error == nil && own.text("app") == "lights")
  }

  @Test("A session is reached from the socket where it was opened, by every user there, and from no other")
  func sessions() throws {
    let scenario = scenario()
    let (own, elsewhere) = (scenario.app(user: 0, hasOwnSocket: true), scenario.app(user: 1000))
    func list(_ app: ScenarioApp, user: UInt32, atSocketOf socket: String?) throws -> String? {
      try send(
        "Session.List", #""session":"\#(app.token)""#, more: true, to: scenario, user: user,
        atSocketOf: socket
      )
      .error
    }
    #expect(try list(own, user: 0, atSocketOf: "lights") == nil)
    #expect(try list(own, user: 1000, atSocketOf: "lights") == nil)
    #expect(try list(elsewhere, user: 1000, atSocketOf: nil) == nil)
    let refused = [
      try list(own, user: 0, atSocketOf: "garden"), try list(own, user: 0, atSocketOf: nil),
      try list(own, user: 1000, atSocketOf: nil), try list(elsewhere, user: 1000, atSocketOf: "lights"),
    ]
    #expect(refused.allSatisfy { $0 == "io.accessoryd.Session.Invalidated" }, "\(refused)")
  }

  @Test("A socket has the connections of one user, and takes none from the users that connect there")
  func limits() throws {
    let scenario = scenario()
    let connect = { scenario.harness.connect(user: 0, atSocketOf: $0) }
    let lights = (0..<16).compactMap { _ in connect("lights") }
    #expect(lights.count == 16)
    // Over the socket it learns why.
    if let turnedAway = connect("lights") {
      scenario.harness.send(Message.text("io.accessoryd.Session.Activate", "", more: true), by: turnedAway)
      let refusal = try #require(turnedAway.replies.first)
      #expect(refusal.error == "io.accessoryd.Gateway.TooManyConnections" && refusal.text("of") == "user")
    }
    #expect((0..<16).compactMap { _ in connect("garden") }.count == 16)
    #expect((0..<16).compactMap { _ in connect(nil) }.count == 16)
  }

  @Test(
    "A reload that takes a socket away ends the sessions there, and no others; another one brings it back")
  func reload() throws {
    let scenario = scenario()
    let inside = scenario.app(user: 0, hasOwnSocket: true, as: "inside")
    scenario.app("garden", user: 0, hasOwnSocket: true, as: "neighbour")
    scenario.app(user: 1000, as: "outside")
    let before = try #require(scenario.harness.connect(user: 0, atSocketOf: "lights"))
    _ = scenario.takeLines()
    var manifest = Self.manifest
    var access = Self.access
    manifest.apps[0].hasOwnSocket = false
    access.appsWithSocket = ["garden"]
    reload(scenario, manifest, access)
    #expect(
      scenario.takeLines() == """
        0.1 inside: invalidated invalidated
        0.1 inside: the end
        """)
    #expect(
      inside.events.last?.object("error")?.text("reason")
        == "the manifest no longer gives the app a socket of its own")
    #expect(scenario.harness.connect(user: 0, atSocketOf: "lights") == nil)
    scenario.harness.send(Message.text("io.accessoryd.Session.Activate", "", more: true), by: before)
    #expect(before.replies.map(\.error) == ["io.accessoryd.Session.ActivationFailed"])
    reload(scenario, Self.manifest, Self.access)
    scenario.app(user: 0, hasOwnSocket: true, as: "inside")
    #expect(scenario.text.hasSuffix("inside: activated"))
  }

  private func reload(_ scenario: SetupScenario, _ manifest: GatewayManifest, _ access: AccessList) {
    scenario.harness.reading = .accepted(
      AgentCore.Configuration(manifest, board: .attentive, access: access), radioSource: "h4:bench",
      warnings: [])
    scenario.harness.readManifestAgain()
    scenario.run(seconds: 1)
  }

  @Test(
    "A user that the kernel cannot name is the app there, and no client at the agent's socket",
    .inMemoryAlone("the kernel lets only the app's account open the socket"))
  func overflowUser() throws {
    let scenario = scenario()
    let activated = try send("Session.Activate", more: true, to: scenario, user: 65_534, atSocketOf: "lights")
    #expect(activated.error == nil)
    #expect(scenario.harness.connect(user: 65_534) == nil)
  }

  @Test(
    "Only the app's account and root can open the socket; a reload gives it to another account",
    .enabled(if: ScenarioTransport.canBeSocket, "only root can connect as other users"), .overSocket)
  func accounts() {
    let scenario = scenario()
    func openers() -> [UInt32] {
      [0, 1000, 1001, 4711].filter { scenario.harness.connect(user: $0, atSocketOf: "lights") != nil }
    }
    #expect(openers() == [0, 1000])
    var access = Self.access
    access.appsOfUser = [1001: ["garden"], 4711: ["lights"]]
    reload(scenario, Self.manifest, access)
    #expect(openers() == [0, 4711])
    access.appsOfUser = [1001: ["garden"]]
    reload(scenario, Self.manifest, access)
    #expect(openers() == [0])
  }
}
