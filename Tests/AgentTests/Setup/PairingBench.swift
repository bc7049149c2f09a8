// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
@testable import Agent
import HCI
import JSON
import Manifest
@testable import Pairing
import Registry
import Setup
import Testing
import Varlink
import VirtualRadio

/// A backend that does what a scenario says.
final class ScriptedPairing {
  fileprivate(set) var commands: [PairingCommand] = []

  /// Returns the commands since the last call, and removes them.
  func takeCommands() -> [PairingCommand] {
    defer { commands = [] }
    return commands
  }

  var requests: [PairingRequest] {
    commands.compactMap { if case .pair(let request) = $0 { request } else { nil } }
  }
}

/// A gateway with two apps whose bulbs are paired, and a scripted backend.
struct PairingBench {
  static let bulb = DeviceAddress(bits: 0xC000_0000_0001, type: .random)
  static let everything = ["display", "keyboard", "yesNo"]

  let harness: AgentHarness
  let scenario: SetupScenario
  let lights: ScenarioApp
  let anna: ScenarioOperator
  let backend = ScriptedPairing()

  init(
    scene: [SceneDevice] = [.bulb(1)], capabilities: [String] = everything,
    _ change: (inout GatewayManifest) -> Void = { _ in }
  ) {
    let manifest = GatewayManifest.lightsAndGarden.with { manifest in
      for app in manifest.apps.indices {
        manifest.apps[app].items[0].descriptor.supportedOptions = .bluetoothPairingLE
      }
      change(&manifest)
    }
    harness = AgentHarness(manifest, scene: scene, access: .twoApps)
    let backend = backend
    harness.agent.setupLink.pairingScript = { backend.commands.append($0) }
    scenario = SetupScenario(harness)
    lights = scenario.app()
    anna = scenario.watcher("anna", capabilities)
  }

  /// The app's picker is open, and an operator sees the devices.
  func picks(_ app: ScenarioApp? = nil) {
    (app ?? lights).call("ShowPicker")
    scenario.skip(seconds: 1)
  }

  /// An operator has chosen the first device.
  @discardableResult
  func chooses(_ more: String = "", wait seconds: Double = 0) -> ScenarioCall {
    picks()
    return anna.choose(1, more, wait: seconds)
  }

  /// The app has the bulb, which was paired for it.
  func owns(_ method: PairingMethod = .justWorks) {
    chooses()
    succeeds(method)
    scenario.run(seconds: 1)
    _ = backend.takeCommands()
    _ = scenario.takeLines()
  }

  /// The second app, which gets the same bulb without a pairing.
  func shares() -> ScenarioApp {
    let garden = scenario.app("garden", user: 1001)
    picks(garden)
    anna.choose(1, wait: 1)
    _ = scenario.takeLines()
    return garden
  }

  // MARK: - The backend

  var pairing: PairingID { backend.requests.last?.id ?? PairingID(0) }

  func asks(_ question: PairingQuestion) { reports(.ask(pairing, question)) }

  func succeeds(_ method: PairingMethod = .justWorks, _ identity: DeviceAddress = bulb) {
    reports(.ended(pairing, .success(.sample(method, identity))))
  }

  func fails(_ error: PairingError) { reports(.ended(pairing, .failure(error))) }

  func loses(_ identity: DeviceAddress = bulb) { reports(.bondWasLost(identity)) }

  func reports(_ action: PairingAction) {
    harness.agent.passOn(action)
    harness.turn()
    scenario.run(seconds: 0.2)
  }

  // MARK: - Results

  /// The names of the app's events since it activated.
  func events(_ app: ScenarioApp? = nil) -> [String] {
    (app ?? lights).events.compactMap { $0.text("event") }.filter { $0 != "activated" }
  }

  func failure(_ call: ScenarioCall) -> (error: String, reason: String)? {
    call.replies.last.map { ("\($0.error?.drop(through: ".") ?? "")", $0.text("reason") ?? "") }
  }

  var bond: Bond? { harness.setupCore.registry.devices.first?.bond }
  var accessories: [RegistryAccessory] { harness.setupCore.registry.accessories }

  /// The request that the operator sees last.
  var phase: String? { harness.setupCore.requests.first?.state.name }
}

extension PairedDevice {
  static func sample(
    _ method: PairingMethod, _ identity: DeviceAddress = PairingBench.bulb, linkKey: Bool = false
  ) -> PairedDevice {
    var keys = BondKeys()
    guard let value = KeyValue(Array(1...16)) else { preconditionFailure("a key has 16 bytes") }
    let isAuthenticated = method != .justWorks
    keys.longTermKeys = [
      LongTermKey(
        kind: isAuthenticated ? 3 : 2, central: 0, byteCount: 16, diversifier: 0, random: 0, value: value)
    ]
    keys.identityKey = value
    if linkKey { keys.linkKey = LinkKey(kind: 7, pinByteCount: 0, value: value) }
    return PairedDevice(
      identity: identity,
      record: BondRecord(owner: .gateway, isAuthenticated: isAuthenticated, keys: keys), method: method)
  }
}
