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
import VirtualRadio

/// A gateway with a shared adapter, and a bulb that is an accessory of two apps.
struct ConnectionBench {
  static let bulb = DeviceAddress(bits: 0xC000_0000_0001, type: .random)

  let harness: AgentHarness
  let scenario: SetupScenario
  let lights: ScenarioApp
  let garden: ScenarioApp
  let anna: ScenarioOperator

  init(
    scene: [SceneDevice] = [.bulb(1)], _ change: (inout GatewayManifest) -> Void = { _ in },
    as kind: RadioKind = .sharedAdapter(index: 3)
  ) {
    let manifest = GatewayManifest.lightsAndGarden.with { manifest in
      manifest.gateway.radio = .index(3)
      change(&manifest)
    }
    harness = AgentHarness(manifest, scene: scene, access: .twoApps)
    scenario = SetupScenario(harness)
    lights = scenario.app()
    garden = scenario.app("garden", user: 1001)
    anna = scenario.watcher()
    for app in [lights, garden] {
      app.call("ShowPicker", wait: 1)
      anna.choose(wait: 1)
    }
    harness.kernel = StandInKernel()
    harness.radioComes(as: kind)
    scenario.skip(seconds: 1)
  }

  func connect(_ app: ScenarioApp) -> ScenarioCall { app.call("Connect", about: app.accessory) }

  /// An app that has the connection.
  @discardableResult
  func connected(_ app: ScenarioApp) -> ScenarioCall {
    let call = connect(app)
    opens()
    return call
  }

  func opens() {
    harness.linkOpens()
    scenario.collect()
  }

  func ends(_ reason: MgmtDisconnectReason) {
    harness.linkEnds(Self.bulb, reason)
    scenario.collect()
  }

  var connectedCount: Int64 { scenario.status()?.integer("accessoriesConnected") ?? -1 }

  var notices: [LinkNotice] {
    harness.notices.compactMap { if case .link(let notice) = $0 { notice } else { nil } }
  }

  func identifier(_ app: ScenarioApp) throws -> RandomIdentifier {
    try #require(RandomIdentifier(text: app.accessory))
  }

  func failure(_ call: ScenarioCall) -> (error: String, reason: String)? {
    call.replies.last.map { ("\($0.error?.drop(through: ".") ?? "")", $0.text("reason") ?? "") }
  }
}
