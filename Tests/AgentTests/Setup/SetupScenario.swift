// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import JSON
import Manifest
import Setup
import Varlink
import VarlinkClient
import VirtualRadio

/// What the apps and operators of one gateway receive, line by line, in the order of time.
///
/// A line gives the second since the scenario began, the receiver, and what it received. Random identifiers appear as
/// a1, a2 … in the order of their first appearance.
final class SetupScenario {
  /// The resolution of the times in lines.
  private static let stepMilliseconds: Int64 = 100

  let harness: any ScenarioHarness
  private(set) var lines: [String] = []
  private var apps: [ScenarioApp] = []
  private var watchers: [ScenarioOperator] = []
  private var calls: [ScenarioCall] = []
  private var names: [String: String] = [:]
  private let start: Int64

  /// When the scenario begins, the radio has scanned for `seconds` and found the devices that are there.
  init(_ harness: any ScenarioHarness, after seconds: Int64 = 2) {
    self.harness = harness
    harness.run(milliseconds: seconds * 1000)
    start = harness.now.microseconds
  }

  /// `run` distinguishes starts of the agent.
  convenience init(
    _ manifest: GatewayManifest = .lights, scene: [SceneDevice]? = [.bulb(1)], access: AccessList = .twoApps,
    registry: StandInRegistryFile = StandInRegistryFile(), run: UInt64 = 1
  ) {
    self.init(
      ScenarioTransport.current.makeHarness(
        manifest, scene: scene, access: access, registry: registry, run: run))
  }

  var text: String { lines.joined(separator: "\n") }

  /// The text after some more seconds.
  func text(after seconds: Double) -> String {
    run(seconds: seconds)
    return text
  }

  /// Returns the lines since the last call, and removes them.
  func takeLines(after seconds: Double = 0) -> String {
    run(seconds: seconds)
    defer { lines = [] }
    return text
  }

  /// Lets time pass, and removes the lines so far.
  func skip(seconds: Double) { _ = takeLines(after: seconds) }

  func run(seconds: Double) {
    var steps = Int64(seconds * 1000) / Self.stepMilliseconds
    while steps > 0 {
      let quiet =
        harness.nextTime.map { $0.milliseconds(since: harness.now) / Self.stepMilliseconds } ?? steps
      let count = min(max(quiet, 1), steps)
      harness.run(milliseconds: count * Self.stepMilliseconds)
      collect()
      steps -= count
    }
  }

  func note(_ receiver: String, _ text: String) {
    let tenths = (harness.now.microseconds - start) / 100_000
    lines.append("\(tenths / 10).\(tenths % 10) \(receiver): \(text)")
  }

  /// A short name for a random identifier.
  func alias(_ identifier: String) -> String {
    if let known = names[identifier] { return known }
    let name = "a\(names.count + 1)"
    names[identifier] = name
    return name
  }

  func collect() {
    for app in apps { app.collect() }
    for watcher in watchers { watcher.collect() }
    for call in calls { call.collect() }
    calls.removeAll { $0.isOver }
  }

  // MARK: - Apps and operators

  /// An app that has activated.
  @discardableResult
  func app(
    _ name: String = "lights", user: UInt32 = 1000, hasOwnSocket: Bool = false, as label: String? = nil
  ) -> ScenarioApp {
    let app = ScenarioApp(self, name, user: user, hasOwnSocket: hasOwnSocket, label: label ?? name)
    apps.append(app)
    app.activate()
    collect()
    return app
  }

  /// An operator who watches.
  @discardableResult
  func watcher(_ label: String = "anna", _ capabilities: [String] = []) -> ScenarioOperator {
    let watcher = ScenarioOperator(self, label)
    watchers.append(watcher)
    watcher.watch(capabilities)
    collect()
    return watcher
  }

  /// Makes a call on its own connection; its replies become lines. Then `seconds` pass.
  @discardableResult
  func call(
    _ method: String, _ parameters: String, user: UInt32, atSocketOf app: String? = nil, label: String,
    wait seconds: Double = 0
  ) -> ScenarioCall {
    let call = ScenarioCall(self, method, label: label)
    call.send(parameters, user: user, atSocketOf: app)
    calls.append(call)
    collect()
    run(seconds: seconds)
    return call
  }
}

extension SetupScenario {
  /// The agent's status.
  func status(to label: String = "anna") -> JSONObject? {
    call("Gateway.Status", "", user: 0, label: label).replies.first?.parameters
  }
}

/// A call that gets its replies now or later.
final class ScenarioCall {
  /// Methods with several replies.
  private static let streams: Set<String> = [
    "Gateway.Apps", "Session.List", "Session.WatchAdvertisements", "Operator.Open", "Operator.List",
    "Operator.Registry",
    "Operator.Export", "Operator.Pair", "Operator.Replace",
  ]

  private unowned let scenario: SetupScenario
  private let method: String
  private let label: String
  private var client: HarnessClient?
  private var notedCount = 0
  private(set) var isOver = false

  init(_ scenario: SetupScenario, _ method: String, label: String) {
    self.scenario = scenario
    self.method = method
    self.label = label
  }

  var replies: [ReceivedReply] { client?.replies ?? [] }

  func send(_ parameters: String, user: UInt32, atSocketOf app: String?) {
    client = scenario.harness.connect(user: user, atSocketOf: app)
    guard let client else { return }
    scenario.harness.send(
      Message.text("io.accessoryd.\(method)", parameters, more: Self.streams.contains(method)), by: client)
  }

  func collect() {
    for reply in replies.dropFirst(notedCount) {
      notedCount += 1
      StatedErrors.check(reply.error, of: "io.accessoryd.\(method)")
      scenario.note(label, "\(method.drop(through: ".")) → \(reply.summary(scenario))")
      if !reply.continues { hangUp() }
    }
  }

  func hangUp() {
    guard let client, !isOver else { return }
    isOver = true
    scenario.harness.hangUp(client)
  }
}

extension Message {
  /// Returns a call with parameters in JSON.
  static func text(_ method: String, _ parameters: String, more: Bool) -> [UInt8] {
    let flags = more ? ",\"more\":true" : ""
    return Array("{\"method\":\"\(method)\",\"parameters\":{\(parameters)}\(flags)}".utf8) + [0]
  }
}

extension String {
  /// Returns what follows the last occurrence of `mark`.
  func drop(through mark: Character) -> Substring {
    lastIndex(of: mark).map { self[index(after: $0)...] } ?? self[...]
  }
}
