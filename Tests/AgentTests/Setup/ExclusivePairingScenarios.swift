// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import AdapterSupport
@testable import Agent
import AgentSupport
import Controller
import Interfaces
import Manifest
import Setup
import Testing
import Varlink

@Suite("Pairing with an adapter that the agent holds alone")
struct ExclusivePairingScenarios {
  @Test(
    "It is refused with one cure, which the operator reads before, whether bluetoothd runs or not",
    arguments: [SupportOptions.bluetoothPairingLE, [.bluetoothPairingLE, .bluetoothHID]], [false, true])
  func refusal(options: SupportOptions, runsBluetoothd: Bool) throws {
    let manifest = GatewayManifest.lightsAndGarden.with { manifest in
      manifest.gateway.radio = .index(ModelKernel.index)
      manifest.gateway.access = .exclusive
      for app in manifest.apps.indices {
        manifest.apps[app].items[0].descriptor.supportedOptions = options
      }
    }
    let harness = AgentHarness(manifest, scene: [.bulb(1)], access: .twoApps)
    harness.runsBluetoothd = runsBluetoothd
    harness.pairingKernel = ModelKernel()
    let scenario = SetupScenario(harness)
    harness.radioComes(as: .adapter(index: ModelKernel.index))
    let (lights, anna) = (scenario.app(), scenario.watcher("anna", ["display", "keyboard", "yesNo"]))
    scenario.run(seconds: 1)
    lights.call("ShowPicker", wait: 1)
    let request = anna.stream?.replies.compactMap { $0.object("request") }.last
    let note = try #require(request?.text("pairingNote"))
    let reply = anna.choose(1, wait: 2)
    let failure = try #require(reply.replies.last)
    #expect(failure.error != nil)
    let (reason, cure) = (failure.text("reason") ?? "", failure.text("cure") ?? "")
    #expect(reason == "the adapter is held with access = \"exclusive\", where no device is paired")
    #expect(cure.hasPrefix("set access = \"shared\""))
    #expect(note == "this gateway cannot pair now: \(reason); \(cure)")
    #expect(harness.pairingCommands.isEmpty && harness.setupCore.bonds.isEmpty)
    #expect(harness.agent.radio.state == .on)
    harness.agent.checkInvariants()
  }
}
