// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Discovery
import Interfaces
import JSON
import Manifest
import Registry
import Setup
import Testing
import Varlink
import VarlinkClient
import VirtualRadio

/// Two apps that have accessories, and an account that is a bridge of "lights".
@Suite("A bridge sees what its apps have, and does what `may` says")
struct BridgeTests {
  private static let user: UInt32 = 1002
  private static let gatewayMethods: Set = ["Status", "Watch", "WatchReports"]
  private static let methodsOfRight: [BridgePermission: Set<String>] = [
    .pick: ["Watch", "Open", "Choose", "Name", "Cancel", "Deny"], .rename: ["Rename"], .remove: ["Remove"],
    .scan: ["ScanActively"],
  ]

  /// As `twoApps`, with the bridge.
  private static func access(_ change: (inout Bridge) -> Void = { _ in }) -> AccessList {
    var access = AccessList.twoApps
    var bridge = Bridge(name: "home", user: "home")
    bridge.apps = ["lights"]
    change(&bridge)
    access.bridgeOfUser = [user: bridge]
    return access
  }

  /// Each app has the first bulb; the second is no one's accessory.
  private static func owning(_ access: AccessList) -> (SetupScenario, lights: String, garden: String) {
    let scenario = SetupScenario(.lightsAndGarden, scene: [.bulb(1), .bulb(2)], access: access)
    let (lights, garden) = (scenario.app(), scenario.app("garden", user: 1001))
    let anna = scenario.watcher()
    for app in [garden, lights] {
      app.call("ShowPicker", wait: 1)
      anna.choose(wait: 1)
    }
    anna.hangUp()
    return (scenario, lights.accessory, garden.accessory)
  }

  private static func connect(_ scenario: SetupScenario) throws -> HarnessClient {
    try #require(scenario.harness.connect(user: user))
  }

  /// Starts a call that goes on.
  private static func stream(
    _ scenario: SetupScenario, _ method: String, _ parameters: String = ""
  ) throws -> HarnessClient {
    let client = try connect(scenario)
    scenario.harness.send(Message.text("io.accessoryd.\(method)", parameters, more: true), by: client)
    return client
  }

  private static func text(_ client: HarnessClient) -> String {
    client.messages.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
  }

  /// What a bridge gets for a call, byte by byte, until `milliseconds` later.
  private static func reply(
    _ scenario: SetupScenario, _ method: String, _ parameters: String = "", milliseconds: Int64 = 100
  ) throws -> String {
    let client = try stream(scenario, method, parameters)
    scenario.harness.run(milliseconds: milliseconds)
    scenario.harness.hangUp(client)
    return text(client)
  }

  @Test(
    "It may call Status, Watch, List, and what `may` allows; every other method of the operators is refused",
    arguments: [[], [.pick], [.rename], [.remove], [.scan], Set(BridgePermission.allCases)])
  func methods(may: Set<BridgePermission>) throws {
    let scenario = SetupScenario(.lightsAndGarden, access: Self.access { $0.may = may })
    let allowed = may.reduce(into: Set(["List"])) { $0.formUnion(Self.methodsOfRight[$1] ?? []) }
    let methods =
      GatewayMethodName.allCases.map { method in
        (
          method.rawValue,
          may.contains(.scan) ? Self.gatewayMethods.union(["ScanActively"]) : Self.gatewayMethods
        )
      }
      + OperatorMethodName.allCases.map { ($0.rawValue, allowed) }
    #expect(methods.count > 20)
    for (name, allowed) in methods {
      let client = try Self.connect(scenario)
      scenario.harness.send(Message.text(name, "", more: true), by: client)
      let isRefused = client.replies.first?.error == "org.varlink.service.PermissionDenied"
      #expect(isRefused != allowed.contains(String(name.drop(through: "."))), "\(name)")
      if isRefused { #expect(Self.text(client).contains("home")) }
      scenario.harness.hangUp(client)
    }
    #expect(scenario.harness.setupCore.requests.isEmpty)
  }

  @Test("It gives no accessory another device, whatever `may` allows")
  func replacements() throws {
    let (scenario, lights, _) = Self.owning(Self.access { $0.may = Set(BridgePermission.allCases) })
    let anna = scenario.watcher()
    let before = scenario.harness.setupCore.registry
    #expect(
      try Self.reply(scenario, "Operator.Replace", #""accessory":"\#(lights)""#).contains("PermissionDenied"))
    scenario.call("Operator.Open", #""app":"lights""#, user: 0, label: "anna", wait: 1)
    let choice = #""request":"\#(anna.request)","candidate":1,"replaces":"\#(lights)""#
    #expect(
      try Self.reply(scenario, "Operator.Choose", choice, milliseconds: 1000).contains("PermissionDenied"))
    #expect(scenario.harness.setupCore.registry == before)
    anna.call("Choose", choice, wait: 1)
    #expect(scenario.harness.setupCore.registry != before, "an operator may")
  }

  @Test("What its table lacks is named with its cure")
  func sentences() throws {
    let scenario = SetupScenario(.lightsAndGarden, access: Self.access())
    #expect(try Self.reply(scenario, "Operator.Rename").contains(#"the bridge home may not rename"#))
    #expect(try Self.reply(scenario, "Operator.Rename").contains(#"to may in [bridge.home]"#))
    #expect(try Self.reply(scenario, "Operator.Export").contains("a bridge may not call this method"))
    #expect(try Self.reply(scenario, "Gateway.Nothing").contains("PermissionDenied"))
  }

  @Test(
    "Another app's request, accessory or name gets the same reply, byte by byte, as one that does not exist")
  func foreign() throws {
    let (scenario, lights, garden) = Self.owning(Self.access { $0.may = Set(BridgePermission.allCases) })
    let app = scenario.app("garden", user: 1001)
    app.call("ShowPicker", wait: 1)
    let request = try #require(scenario.harness.setupCore.requests.first?.id.text)
    let accessories = scenario.harness.setupCore.registry.accessories.count
    let never = "0123456789abcdef0123456789abcdef"
    for (method, key, foreign, rest) in [
      ("Choose", "request", request, #","candidate":1"#), ("Choose", "request", request, #","candidate":-1"#),
      ("Name", "request", request, #","name":"Lamp""#), ("Name", "request", request, #","name":"""#),
      ("Cancel", "request", request, ""), ("Deny", "request", request, ""),
      ("Rename", "accessory", garden, #","name":"Lamp""#), ("Rename", "accessory", garden, #","name":"""#),
      ("Remove", "accessory", garden, ""), ("List", "app", "garden", ""), ("Open", "app", "garden", ""),
      ("Open", "app", "garden", #","items":["lamp"]"#),
      ("Open", "app", "garden", #","device":"C0:00:00:00:00:01""#),
    ] {
      let replies = try [foreign, never, "x", ""].map { word in
        try Self.reply(scenario, "Operator.\(method)", "\"\(key)\":\"\(word)\"\(rest)")
          // The reply repeats the caller's own word.
          .replacing("\":\"\(word)\"", with: "\":\"X\"")
      }
      #expect(Set(replies).count == 1, "\(method): \(replies)")
      #expect(replies[0].contains("error") && !replies[0].contains("garden"), "\(method): \(replies[0])")
    }
    #expect(scenario.harness.setupCore.requests.map(\.id.text) == [request])
    #expect(scenario.harness.setupCore.registry.accessories.count == accessories)
    let own = try Self.reply(scenario, "Operator.Rename", #""accessory":"\#(lights)","name":"Hall""#)
    #expect(!own.contains("error"), "\(own)")
    #expect(try Self.reply(scenario, "Operator.List").contains(#""displayName":"Hall""#))
    let removal = try Self.reply(scenario, "Operator.Remove", #""accessory":"\#(lights)""#)
    #expect(!removal.contains("error"), "\(removal)")
  }

  @Test("List, and the requests that it watches, are those of its apps, and no candidate is another app's")
  func lists() throws {
    let (scenario, lights, garden) = Self.owning(Self.access { $0.may = [.pick] })
    let list = try Self.reply(scenario, "Operator.List")
    #expect(list.contains(lights) && !list.contains(garden) && !list.contains("garden"))
    let watcher = try Self.stream(scenario, "Operator.Watch", #""capabilities":["display","keyboard"]"#)
    scenario.app("garden", user: 1001).call("ShowPicker", wait: 2)
    #expect(watcher.replies.count == 1, "\(Self.text(watcher))")
    scenario.app().call("RemoveAccessory", about: lights)
    let opened = try Self.stream(scenario, "Operator.Open", #""app":"lights""#)
    scenario.run(seconds: 2)
    let candidates = watcher.replies.compactMap { $0.object("candidate") }
    #expect(Set(candidates.compactMap { $0.text("address") }).count == 2)
    #expect(candidates.allSatisfy { $0["isShared"] == .bool(false) && $0.text("name") == "Lumo bulb" })
    #expect(!Self.text(watcher).lowercased().contains("garden"))
    let request = try #require(opened.replies.first?.text("request"))
    let chosen = try Self.reply(scenario, "Operator.Choose", #""request":"\#(request)","candidate":1"#)
    #expect(chosen.contains(#""accessory":"#), "\(chosen)")
  }

  @Test("List goes on with what changes of its apps' accessories: once each, and not for a level alone")
  func following() throws {
    let (scenario, lights, garden) = Self.owning(Self.access { $0.may = [.rename, .remove] })
    let list = try Self.stream(scenario, "Operator.List", #""follows":true"#)
    scenario.run(seconds: 30)
    #expect(list.replies.count == 2 && list.replies.last?["isSynced"] == .bool(true), "\(Self.text(list))")
    _ = try Self.reply(scenario, "Operator.Rename", #""accessory":"\#(lights)","name":"Hall""#)
    scenario.app("garden", user: 1001).call("RemoveAccessory", about: garden)
    scenario.run(seconds: 2)
    #expect(list.replies.count == 3)
    #expect(list.replies.last?.object("accessory")?.text("displayName") == "Hall")
    _ = try Self.reply(scenario, "Operator.Remove", #""accessory":"\#(lights)""#)
    scenario.run(seconds: 2)
    #expect(list.replies.count == 4 && list.replies.last?.text("gone") == lights)
    #expect(!Self.text(list).contains(garden))
    let whole = try Self.stream(scenario, "Operator.List")
    #expect(whole.replies.count == 1 && whole.replies.first?["accessory"] == nil)
  }

  @Test("Status has version, epoch, time, radio, its table and the problems of its apps, and nothing else")
  func status() throws {
    let (scenario, _, _) = Self.owning(Self.access())
    var access = Self.access()
    access.appsOfUser[1001] = nil
    access.appsOfUser[1003] = ["garden"]
    for (apps, problems) in [(["lights"] as Set<String>?, 0), (["garden"], 1), (nil, 1)] {
      access.bridgeOfUser[Self.user]?.apps = apps
      Self.reload(scenario, access)
      let status = try #require(Self.stream(scenario, "Gateway.Status").replies.first)
      #expect(
        Set(status.parameters.members.map(\.name)) == [
          "version", "epoch", "time", "radio", "problems", "warnings", "openRequests", "bridge",
        ])
      let table = status.object("bridge")
      #expect(table?.text("name") == "home" && table?.text("forward") == "accessories")
      #expect(table?["apps"] == .array((apps?.sorted() ?? ["garden", "lights"]).map { .string($0) }))
      guard case .array(let found)? = status["problems"] else { continue }
      #expect(found.count == problems)
    }
    access.bridgeOfUser[Self.user]?.forward = .everything
    Self.reload(scenario, access)
    #expect(try Self.stream(scenario, "Gateway.Status").replies.first?.integer("devices") == 2)
  }

  private static func reload(_ scenario: SetupScenario, _ access: AccessList) {
    scenario.harness.reading = .accepted(
      AgentCore.Configuration(.lightsAndGarden, board: .attentive, access: access), radioSource: "h4:bench",
      warnings: [])
    scenario.harness.readManifestAgain()
    scenario.run(seconds: 1)
  }

  @Test("Watch has the accessories of its apps, or what their items have found, and no word of other apps")
  func watch() throws {
    for (forward, present) in [(ReportForward.accessories, 1), (.items, 2), (.everything, 2)] {
      let (scenario, lights, garden) = Self.owning(Self.access { $0.forward = forward })
      let watcher = try Self.stream(scenario, "Gateway.Watch")
      scenario.app("garden", user: 1001).call("RemoveAccessory", about: garden)
      scenario.harness.radioVanishes()
      scenario.run(seconds: 20)
      #expect(watcher.replies.count { $0["present"] != nil } == present)
      #expect(watcher.events.count == present && watcher.replies.contains { $0["radioChanged"] != nil })
      #expect(watcher.events.allSatisfy { $0.text("app") == "lights" && $0.text("event") == "lost" })
      #expect(!Self.text(watcher).lowercased().contains("garden"), "\(Self.text(watcher))")
      #expect(Self.text(watcher).contains("C0:00:00:00:00:02") == (present == 2), "\(lights)")
    }
  }

  @Test("`passed` and `missed` add up to the sequence, also after a cursor; an operator's events have none")
  func passed() throws {
    let manifest = GatewayManifest.lightsAndGarden.with { $0.gateway.capacities.events = 16 }
    let harness = AgentHarness(
      manifest, scene: (1...30).map { .arriving($0, second: Int64($0)) },
      access: Self.access { $0.forward = .items })
    func watch(_ user: UInt32, _ cursor: (epoch: String, sequence: Int64)? = nil) throws -> HarnessClient {
      let client = try #require(harness.connect(user: user, groups: []))
      let parameters = cursor.map { #""epoch":"\#($0.epoch)","sequence":\#($0.sequence)"# } ?? ""
      harness.send(Message.text("io.accessoryd.Gateway.Watch", parameters, more: true), by: client)
      return client
    }
    let (bridge, root) = (try watch(Self.user), try watch(0))
    harness.run(milliseconds: 4500)
    harness.hangUp(bridge)
    let epoch = try #require(bridge.replies.first?.text("epoch"))
    var next = try #require(bridge.replies.first?.integer("sequence"))
    // More events than the ring holds.
    harness.run(milliseconds: 16_000)
    let last = try #require(bridge.events.last?.integer("sequence"))
    let resumed = try watch(Self.user, (epoch, last + 1))
    harness.run(milliseconds: 2000)
    for reply in bridge.replies + resumed.replies {
      next += reply.integer("missed") ?? 0
      guard let event = reply.object("event") else { continue }
      #expect(event.integer("sequence") == next + (event.integer("passed") ?? 0))
      next = (event.integer("sequence") ?? 0) + 1
    }
    #expect(bridge.events.count > 2 && bridge.events.contains { $0.integer("passed") == 1 })
    #expect(resumed.replies.contains { $0["missed"] != nil } && resumed.events.count > 5)
    #expect(!root.events.isEmpty && root.events.allSatisfy { $0["passed"] == nil })
  }

  @Test("A bridge that has no events for long learns how many went to others")
  func passedAlone() throws {
    let harness = AgentHarness(
      .lightsAndGarden, scene: (1...4).map { .blinking($0) },
      access: Self.access { $0.forward = .accessories })
    let clients = try [Self.user, 0].map { user in
      let client = try #require(harness.connect(user: user, groups: []))
      harness.send(Message.text("io.accessoryd.Gateway.Watch", "", more: true), by: client)
      return client
    }
    harness.run(milliseconds: 60_000)
    let told = clients[0].replies.compactMap { $0.integer("passed") }
    #expect(clients[0].events.isEmpty && told.count > 1 && told.allSatisfy { $0 >= 256 }, "\(told)")
    let next = (clients[0].replies.first?.integer("sequence") ?? 0) + told.reduce(0, +)
    let produced = try #require(clients[1].events.last?.integer("sequence")) + 1
    #expect(next <= produced && produced - next < 256, "\(next) of \(produced)")
  }

  @Test("A reload that changes its table ends its call, and leaves those of other bridges and apps")
  func reloaded() throws {
    var access = Self.access { $0.may = [.pick] }
    access.appsOfUser[Self.user] = ["lights"]
    let scenario = SetupScenario(.lightsAndGarden, access: access)
    let watchers = try ["Gateway.Watch", "Operator.Watch", "Operator.Open"].map {
      try Self.stream(scenario, $0, $0.hasSuffix("Open") ? #""app":"lights""# : "")
    }
    let app = scenario.app(user: Self.user)
    access.appsOfUser[1001] = nil
    Self.reload(scenario, access)
    #expect(watchers.allSatisfy { $0.replies.last?.error == nil })
    access.bridgeOfUser[Self.user]?.may = []
    Self.reload(scenario, access)
    #expect(watchers.allSatisfy { $0.replies.last?.error == "org.varlink.service.PermissionDenied" })
    #expect(scenario.harness.setupCore.requests.isEmpty && app.stream?.isClosed == false)
    #expect(try Self.reply(scenario, "Gateway.Status").contains("version"))
    access.bridgeOfUser = [:]
    Self.reload(scenario, access)
    #expect(try Self.reply(scenario, "Gateway.Status").contains("PermissionDenied"))
  }

  @Test("An account that is a bridge and an app may do both; an operator stays one")
  func accounts() throws {
    var access = Self.access()
    access.appsOfUser[Self.user] = ["garden"]
    access.bridgeOfUser[0] = access.bridgeOfUser[Self.user]
    let scenario = SetupScenario(.lightsAndGarden, access: access)
    #expect(scenario.app("garden", user: Self.user).token != "")
    #expect(try Self.reply(scenario, "Gateway.Status").contains("version"))
    #expect(try Self.reply(scenario, "Operator.Rename").contains("PermissionDenied"))
    #expect(scenario.status()?.integer("devices") == 1)
  }

  @Test("A bridge has the connections of one user, and takes none of the apps' and the operators'")
  func places() {
    var access = Self.access()
    for user in 1010..<1020 { access.bridgeOfUser[UInt32(user)] = access.bridgeOfUser[Self.user] }
    let harness = AgentHarness(.lightsAndGarden, access: access)
    let connected = { (user: UInt32) in
      (0..<16).count { _ in harness.connect(user: user, groups: []) != nil }
    }
    #expect(connected(Self.user) == 16)
    #expect((1010..<1020).reduce(16) { $0 + connected(UInt32($1)) } < 56)
    #expect(connected(1000) >= 2 && connected(1001) >= 2)
    #expect(connected(0) >= 8)
  }
}
