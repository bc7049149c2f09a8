// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import JSON
import Manifest
import Registry
import Setup
import Testing
import Varlink
import VirtualRadio

/// Two accounts, each an app with an accessory on the same device.
@Suite("Apps learn nothing of each other", .overEveryTransport)
struct IsolationTests {
  /// Every method that takes a token and an accessory, with the rest of its parameters.
  static let accessoryMethods: [(name: String, rest: String)] = [
    ("RenameAccessory", ""), ("RemoveAccessory", ""), ("FinishAuthorization", #","ssid":"Lumo""#),
    ("FailAuthorization", ""), ("UpdateAuthorization", #","descriptor":{"ssid":"Lumo"}"#), ("Resolve", ""),
    ("Connect", ""), ("ReadRSSI", ""),
  ]
  /// Every method that takes a token.
  static let sessionMethods: [(name: String, rest: String)] =
    [
      ("Invalidate", ""), ("List", ""), ("ShowPicker", ""), ("UpdatePicker", #","items":[]"#),
      ("FinishPickerDiscovery", ""), ("CancelPicker", ""), ("WatchAdvertisements", ""),
    ] + accessoryMethods.map { ($0.0, #","accessory":"00""# + $0.1) }

  private struct Pair {
    let scenario: SetupScenario
    let lights: ScenarioApp
    let garden: ScenarioApp
    /// Lights' accessory that was removed, and garden's session that ended.
    var stale = ""
    var ended = ""
  }

  /// `isAwaiting`: garden's accessory awaits its authorization.
  private func pair(isAwaiting: Bool = false) -> Pair {
    let scenario = SetupScenario(
      .lightsAndGarden.with { if isAwaiting { $0.apps[1].items[0].setupOptions = .confirmAuthorization } })
    let lights = scenario.app()
    let garden = scenario.app("garden", user: 1001)
    let anna = scenario.watcher()
    var pair = Pair(scenario: scenario, lights: lights, garden: garden)
    for app in [garden, lights, lights] {
      if app.accessory != "" {
        app.call("RemoveAccessory", about: app.accessory)
        pair.stale = app.accessory
      }
      app.call("ShowPicker", wait: 1)
      anna.choose(wait: 1)
    }
    let second = scenario.app()
    pair.ended = second.token
    second.call("Invalidate", wait: 1)
    _ = scenario.takeLines()
    return pair
  }

  /// Returns the reply, byte by byte.
  private func reply(_ pair: Pair, _ method: String, token: String, _ rest: String, user: UInt32 = 1000)
    -> String
  {
    guard let client = pair.scenario.harness.connect(user: user) else { return "no connection" }
    pair.scenario.harness.send(
      Message.text(
        "io.accessoryd.Session.\(method)", "\"session\":\"\(token)\"\(rest)",
        more: ["List", "WatchAdvertisements"].contains(method)), by: client)
    defer { pair.scenario.harness.hangUp(client) }
    return client.messages.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
  }

  private func refused(_ pair: Pair) -> UInt64 {
    pair.scenario.harness.setupCore.counters.unknownIdentifiersRefused
  }

  @Test(
    "An accessory of another app, a removed one, a random one and none are refused in the same words",
    arguments: accessoryMethods, [false, true])
  func accessories(_ method: (name: String, rest: String), isAwaiting: Bool) {
    let (method, rest) = method
    let pair = pair(isAwaiting: isAwaiting)
    let before = refused(pair)
    let asked = [
      pair.garden.accessory, pair.stale, "0123456789abcdef0123456789abcdef", "", "x", pair.lights.token,
      pair.garden.accessory.uppercased(),
    ]
    let replies = asked.map {
      reply(pair, method, token: pair.lights.token, #","accessory":"\#($0)""# + rest)
    }
    #expect(Set(replies).count == 1)
    #expect(replies[0].contains("io.accessoryd.Session.InvalidRequest"))
    #expect(refused(pair) - before == UInt64(asked.count))
    #expect(pair.scenario.text(after: 1) == "")
  }

  @Test(
    "A token of another account, an ended one, a random one and none are refused in the same words",
    arguments: sessionMethods)
  func tokens(method: String, rest: String) {
    let pair = pair()
    let before = refused(pair)
    let asked = [
      pair.garden.token, pair.ended, "0123456789abcdef0123456789abcdef", "", "x", pair.lights.accessory,
    ]
    let replies = asked.map { reply(pair, method, token: $0, rest) }
    #expect(Set(replies).count == 1)
    #expect(replies[0].contains("io.accessoryd.Session.Invalidated"))
    #expect(refused(pair) - before == UInt64(asked.count))
    #expect(pair.scenario.text(after: 1) == "")
  }

  @Test("An app that opens and leaves 160 sessions ends no session and no picker of another app")
  func manySessions() {
    let scenario = SetupScenario(.lightsAndGarden)
    let garden = scenario.app("garden", user: 1001)
    garden.call("ShowPicker")
    garden.hangUp()
    scenario.skip(seconds: 1)
    for _ in 0..<160 {
      guard let client = scenario.harness.connect(user: 1000) else {
        Issue.record("no connection")
        return
      }
      scenario.harness.send(
        Message.text("io.accessoryd.Session.Activate", #""app":"lights""#, more: true), by: client)
      #expect(client.replies.first?.text("session") != nil)
      scenario.harness.hangUp(client)
    }
    #expect(scenario.harness.setupCore.hasOpenPicker)
    #expect(scenario.harness.setupCore.sessionCount == 17)
    garden.activate(
      #""session":"\#(garden.token)","epoch":"\#(garden.epoch)","sequence":\#(garden.sequence)"#)
    scenario.run(seconds: 1)
    #expect(!scenario.text.lowercased().contains("invalidated"), "\(scenario.text)")
    #expect(scenario.harness.setupCore.hasOpenPicker)
  }

  @Test("A session of another account cannot be resumed, even while no client streams it")
  func takingUp() {
    let pair = pair()
    pair.garden.hangUp()
    let before = refused(pair)
    var replies: Set<String> = []
    for token in [pair.garden.token, pair.ended, "0123456789abcdef0123456789abcdef", "x"] {
      guard let client = pair.scenario.harness.connect(user: 1000) else { continue }
      pair.scenario.harness.send(
        Message.text("io.accessoryd.Session.Activate", #""session":"\#(token)""#, more: true), by: client)
      replies.insert(client.messages.map { String(decoding: $0, as: UTF8.self) }.joined())
    }
    #expect(replies.count == 1)
    #expect(refused(pair) - before == 4)
  }

  @Test("An app of another account is refused like one that does not exist")
  func activating() {
    let pair = pair()
    var replies: Set<String> = []
    for name in ["garden", "nobody", ""] {
      guard let client = pair.scenario.harness.connect(user: 1000) else { continue }
      pair.scenario.harness.send(
        Message.text("io.accessoryd.Session.Activate", #""app":"\#(name)""#, more: true), by: client)
      let reply = client.messages.map { String(decoding: $0, as: UTF8.self) }.joined()
      // The reason repeats the caller's own word.
      replies.insert(reply.replacing(#"no app \"\#(name)\" for"#, with: "no app for"))
    }
    #expect(replies.count == 1)
  }

  @Test("What one app does with its accessory on a device is reported to no other app")
  func streams() {
    let pair = pair()
    pair.garden.call("WatchAdvertisements")
    _ = pair.scenario.takeLines()
    pair.lights.call("Resolve", about: pair.lights.accessory)
    pair.lights.call("WatchAdvertisements")
    pair.lights.call("RemoveAccessory", about: pair.lights.accessory)
    pair.lights.call("ShowPicker", wait: 40)
    #expect(!pair.scenario.text.contains("garden"))
    #expect(pair.lights.events.allSatisfy { $0.object("accessory")?.text("item") != "lamp" })
  }

  @Test("Identifiers do not reveal that two apps share a device")
  func identifiers() {
    let pair = pair()
    let (mine, other) = (
      pair.lights.events.last { $0.object("accessory") != nil },
      pair.garden.events.last { $0.object("accessory") != nil }
    )
    #expect(pair.lights.accessory != pair.garden.accessory)
    #expect(
      mine?.object("accessory")?.text("bluetoothIdentifier")
        != other?.object("accessory")?.text("bluetoothIdentifier"))
    #expect(mine?.integer("sequence") != nil)
  }

  @Test("Of the operators, only root and the agent's own account read the keys of bonds, which is logged")
  func keys() throws {
    let (scenario, _, _) = SetupScenario.owning()
    var registry = StandInRegistryFile(scenario.harness.registry.saved)
    let key = KeyValue([UInt8](repeating: 0xD5, count: 16))
    var record = BondRecord(owner: .gateway, isAuthenticated: true)
    record.keys.identityKey = key
    registry.setBonds(.bonded(record))
    let harness = AgentHarness(.lights { _ in }, access: .operators, registry: registry, run: 2)
    let call = "io.accessoryd.Operator.Export"
    func export(_ user: UInt32, groups: Set<UInt32> = [], includesKeys: Bool) throws -> String {
      let client = try #require(harness.connect(user: user, groups: groups))
      harness.send(Message.text(call, includesKeys ? #""includesKeys":true"# : "", more: true), by: client)
      harness.run(milliseconds: 10)
      return client.replies.map { $0.error ?? $0["line"].map { "\($0)" } ?? "" }.joined()
    }
    #expect(try export(0, includesKeys: true).contains("d5d5d5d5"))
    #expect(harness.notices.contains(.keysExported(user: 0)))
    #expect(try !export(0, includesKeys: false).contains("bondKeys"))
    #expect(try export(1000, groups: [50], includesKeys: true) == "org.varlink.service.PermissionDenied")
    #expect(try export(1000, groups: [50], includesKeys: false).contains("device"))
  }

  @Test("Apps may not call the operators' interface")
  func operators() {
    let pair = pair()
    for method in ["Watch", "List", "Registry", "Export"] {
      guard let client = pair.scenario.harness.connect(user: 1000) else { continue }
      pair.scenario.harness.send(Message.text("io.accessoryd.Operator.\(method)", "", more: true), by: client)
      #expect(client.replies.map(\.error) == ["org.varlink.service.PermissionDenied"])
    }
  }
}
