// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import AdapterSupport
import Agent
import Controller
import HCI
import JSON
import Manifest
import Pairing
import Registry
import RegistrySupport
import Setup
import Varlink
import VirtualRadio

/// A gateway whose bulb has a bond, and the app that it belongs to. The bulb advertises from private addresses, of which
/// it takes a new one every ten seconds.
struct BondedBench {
  static let identity = ConnectionBench.bulb
  /// The bond of ``Rows`` with its identity key.
  static let rotatingBulb = SceneDevice.rotatingBulb(key: Rows.key(14).block)

  let harness: AgentHarness
  let scenario: SetupScenario
  let app: ScenarioApp
  let anna: ScenarioOperator
  let accessory: String

  init(
    _ bond: Bond = .bonded(Rows.bond(isAuthenticated: false)), scene: [SceneDevice] = [rotatingBulb],
    hasAdapter: Bool = true, runsBluetoothd: Bool = false,
    _ change: (inout GatewayManifest) -> Void = { _ in }
  ) {
    let first = ConnectionBench()
    var registry = first.harness.registry
    registry.setBonds(bond)
    accessory = first.lights.accessory
    let manifest = GatewayManifest.lightsAndGarden.with { manifest in
      if hasAdapter { manifest.gateway.radio = .index(3) }
      change(&manifest)
    }
    harness = AgentHarness(manifest, scene: scene, access: .twoApps, registry: registry, run: 2)
    harness.runsBluetoothd = runsBluetoothd
    scenario = SetupScenario(harness)
    app = scenario.app()
    anna = scenario.watcher()
    if hasAdapter {
      harness.kernel = StandInKernel()
      harness.radioComes(as: .sharedAdapter(index: 3))
    }
    scenario.skip(seconds: 1)
  }

  /// Changes the manifest, and has the agent read it again.
  func reload(_ change: (inout GatewayManifest) -> Void) {
    let manifest = GatewayManifest.lightsAndGarden.with { manifest in
      manifest.gateway.radio = .index(3)
      change(&manifest)
    }
    harness.reading = .accepted(
      AgentCore.Configuration(manifest, board: .attentive, access: .twoApps), radioSource: "h4:bench",
      warnings: [])
    harness.readManifestAgain()
    scenario.run(seconds: 0.1)
  }

  func connect() -> ScenarioCall { app.call("Connect", about: accessory) }

  func opens() {
    harness.linkOpens()
    scenario.collect()
  }

  func fails(_ error: LinkError) {
    harness.linkFails(error)
    scenario.collect()
  }

  func ends(_ reason: MgmtDisconnectReason) {
    harness.linkEnds(Self.identity, reason)
    scenario.collect()
  }

  /// The bond that operators see.
  var bond: String? { anna.call("List").replies.compactMap { $0.object("accessory")?.text("bond") }.first }

  /// The program that keeps the bond.
  var owner: BondOwner? { harness.setupCore.bonds.first?.bond.record?.owner }

  /// The kinds of the problems in the agent's status.
  var problems: [String] {
    scenario.status()?.objects("problems").compactMap { $0.text("kind") } ?? []
  }

  func failure(_ call: ScenarioCall) -> (error: String, field: String?, cure: String) {
    let reply = call.replies.last
    return (
      "\(reply?.error?.drop(through: ".") ?? "")", reply?.text("field"), reply?.text("cure") ?? ""
    )
  }
}

extension SceneDevice {
  /// The bulb, with private addresses that are made with a key.
  static func rotatingBulb(key: Block128) -> SceneDevice {
    var device = SceneDevice.bulb(1)
    device.address = .resolvable(key: key, rotationSeconds: 10)
    return device
  }
}
