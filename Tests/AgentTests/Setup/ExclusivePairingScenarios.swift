// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
@testable import Agent
import Controller
import Discovery
import HCI
import Interfaces
import JSON
import Manifest
import Pairing
import Registry
import Setup
import Testing
import Varlink
import VirtualRadio

/// A gateway that holds its adapter alone, with a model kernel that has the adapter while it is lent, and an app whose
/// bulb is paired.
private struct ExclusiveBench {
  static let bulb = DeviceAddress(bits: 0xC000_0000_0001, type: .random)

  let harness: AgentHarness
  let scenario: SetupScenario
  let lights: ScenarioApp
  let anna: ScenarioOperator

  init(
    _ behaviour: PairingPeer.Behaviour, runsBluetoothd: Bool = false,
    options: SupportOptions = .bluetoothPairingLE
  ) {
    let manifest = GatewayManifest.lightsAndGarden.with { manifest in
      manifest.gateway.radio = .index(ModelKernel.index)
      manifest.gateway.access = .exclusive
      for app in manifest.apps.indices {
        manifest.apps[app].items[0].descriptor.supportedOptions = options
      }
    }
    harness = AgentHarness(manifest, scene: [.bulb(1)], access: .twoApps)
    harness.runsBluetoothd = runsBluetoothd
    var peer = PairingPeer(behaviour)
    (peer.identity, peer.isPrivate) = (Self.bulb, false)
    harness.pairingKernel = ModelKernel()
    harness.pairingKernel?.isPowered = false
    harness.pairingKernel?.peers = [peer]
    scenario = SetupScenario(harness)
    harness.radioComes(as: .adapter(index: ModelKernel.index))
    lights = scenario.app()
    anna = scenario.watcher("anna", ["display", "keyboard", "yesNo"])
    scenario.run(seconds: 1)
    _ = scenario.takeLines()
  }

  /// An operator has chosen the bulb for the app.
  @discardableResult
  func chooses(_ app: ScenarioApp? = nil) -> ScenarioCall {
    (app ?? lights).call("ShowPicker")
    scenario.run(seconds: 1)
    return anna.choose(1)
  }

  /// What the operator reads about pairings.
  var note: String? {
    anna.stream?.replies.compactMap { $0.object("request") }.last?.text("pairingNote")
  }

  var opcodes: [MgmtOpcode] { harness.pairingCommands.map(\.opcode) }
  var bonds: [DeviceBond] { harness.setupCore.bonds }
  var radio: Radio { harness.agent.radio }
  /// Whether the kernel has any key of a device.
  var kernelHasKeys: Bool {
    guard let kernel = harness.pairingKernel else { return false }
    return !kernel.longTermKeys.isEmpty || !kernel.identityKeys.isEmpty || !kernel.linkKeys.isEmpty
  }
  /// The events of sightings so far.
  var sightings: UInt64 { harness.agent.dataPath.pipeline.events.produced }

  func failure(_ call: ScenarioCall) -> (reason: String, cure: String) {
    (call.replies.last?.text("reason") ?? "", call.replies.last?.text("cure") ?? "")
  }
}

@Suite("Pairing with an adapter that the agent holds alone")
struct ExclusivePairingScenarios {
  private typealias Bench = ExclusiveBench

  @Test(
    "The adapter is lent, the device paired, and the adapter taken again; no key stays, and no event is caused"
  )
  func pairing() throws {
    let bench = Bench(.justWorks)
    let watch = bench.harness.connect()
    let client = try #require(watch)
    bench.harness.call("Watch", by: client, more: true)
    let before = bench.sightings
    let call = bench.chooses()
    bench.scenario.run(seconds: 3)
    #expect(call.replies.map(\.error) == [nil])
    #expect(bench.bonds.first?.bond.isBonded == true)
    #expect(!bench.kernelHasKeys && bench.harness.pairingKernel?.isBondable == false)
    #expect(bench.opcodes.first == .setLowEnergy && bench.opcodes.contains(.pairDevice))
    #expect(bench.opcodes.suffix(2) == [.unpairDevice, .setBondable])
    #expect(bench.radio.state == .on && bench.radio.gaps.pauseCount == 1)
    #expect(bench.sightings == before)
    let changes = client.replies.compactMap { $0.object("radioChanged") }
    #expect(changes.map { $0.text("state") } == ["recovering", "on"])
    #expect(changes.allSatisfy { $0["isForPairing"] == .bool(true) })
    #expect(changes.last?["gap"] == .double(Double(bench.radio.gaps.pauseLongest) / 1_000_000))
    #expect(bench.radio.gaps.pauseTotal < 3_000_000)
  }

  @Test("The operator reads beforehand that the app will not be able to connect, and that the radio pauses")
  func note() {
    let bench = Bench(.justWorks)
    bench.lights.call("ShowPicker")
    bench.scenario.run(seconds: 1)
    #expect(bench.note == "with access = \"exclusive\" no app can connect to it; pairing pauses the radio")
  }

  @Test("However long a person takes, the device stays found, and status says why the radio pauses")
  func longPause() throws {
    let bench = Bench(.compares)
    let operatorClient = try #require(bench.harness.connect())
    let before = bench.sightings
    let call = bench.chooses()
    bench.scenario.run(seconds: 25)
    #expect(bench.radio.link == .lent && call.replies.isEmpty)
    let status = "\(bench.harness.call("Status", by: operatorClient))"
    #expect(status.contains("radioPaused") && status.contains("the kernel pairs a device"))
    let request = try #require(bench.harness.setupCore.requests.first)
    bench.anna.call("AnswerPairing", #""request":"\#(request.id.text)","matches":true"#)
    bench.scenario.run(seconds: 3)
    #expect(call.replies.map(\.error) == [nil] && bench.radio.state == .on)
    #expect(bench.sightings == before)
    #expect(bench.radio.gaps.pauseTotal > 24_000_000)
  }

  @Test("A device that stays silent, or is not there: the adapter is back within the time of a pairing")
  func silence() {
    for behaviour in [PairingPeer.Behaviour.silent, .absent, .refuses, .vanishes] {
      let bench = Bench(behaviour)
      let call = bench.chooses()
      bench.scenario.run(seconds: 62)
      #expect(call.replies.last?.error != nil)
      #expect(bench.bonds.isEmpty && !bench.kernelHasKeys)
      #expect(bench.radio.state == .on)
      #expect(bench.radio.gaps.pauseLongest <= PairingRequest.milliseconds * 1000, "\(behaviour)")
    }
  }

  @Test("Beside bluetoothd the adapter is not lent, the error names it, and the operator reads so before")
  func besideBluetoothd() throws {
    let bench = Bench(.justWorks)
    // bluetoothd starts after the agent, which learns of it when a picker opens.
    bench.harness.runsBluetoothd = true
    let call = bench.chooses()
    #expect(try #require(bench.note).contains("bluetoothd runs"))
    bench.scenario.run(seconds: 2)
    #expect(bench.failure(call).reason.contains("bluetoothd runs"))
    #expect(bench.failure(call).cure.contains("stop bluetoothd"))
    #expect(bench.opcodes.isEmpty && bench.radio.gaps.pauseCount == 0 && bench.radio.state == .on)
  }

  @Test(
    "An input device is refused with one cure, which the operator reads before, whether bluetoothd runs or not",
    arguments: [false, true])
  func inputDevice(runsBluetoothd: Bool) throws {
    let bench = Bench(
      .justWorks, runsBluetoothd: runsBluetoothd, options: [.bluetoothPairingLE, .bluetoothHID])
    let call = bench.chooses()
    let note = bench.note
    bench.scenario.run(seconds: 2)
    let failure = bench.failure(call)
    #expect(failure.reason.contains("through bluetoothd only, and not with access = \"exclusive\""))
    #expect(failure.cure.contains("set access = \"shared\", run bluetoothd"))
    #expect(try #require(note) == "this gateway cannot pair now: \(failure.reason); \(failure.cure)")
    #expect(bench.opcodes.isEmpty && bench.radio.gaps.pauseCount == 0 && bench.radio.state == .on)
  }

  @Test("bluetoothd that starts meanwhile ends the pairing, and the adapter is taken again")
  func laterBluetoothd() {
    let bench = Bench(.silent)
    let call = bench.chooses()
    bench.scenario.run(seconds: 2)
    #expect(bench.radio.link == .lent)
    bench.harness.runsBluetoothd = true
    bench.harness.pairingKernel?.emit(.settings([.powered, .lowEnergy]), bench.harness.now)
    bench.scenario.run(seconds: 4)
    #expect(bench.failure(call).reason.contains("bluetoothd started or ended"))
    #expect(bench.radio.state == .on && !bench.kernelHasKeys)
  }

  @Test("An adapter that is pulled out meanwhile ends the pairing, and is used again when it is back")
  func unplugged() {
    let bench = Bench(.silent)
    let call = bench.chooses()
    bench.scenario.run(seconds: 2)
    bench.harness.keepsLentAdapter = true
    bench.harness.pairingKernel?.unplug(bench.harness.now)
    bench.scenario.run(seconds: 1)
    #expect(call.replies.last?.error != nil && bench.radio.link == .lent)
    bench.harness.agent.radioVanished("there is no adapter hci3", at: bench.harness.now)
    bench.scenario.run(seconds: 1)
    #expect(bench.radio.state == .absent && bench.harness.agent.pairing.loan.returnFailures == 1)
    bench.harness.takeLentAdapter()
    bench.scenario.run(seconds: 2)
    #expect(bench.radio.state == .on)
  }

  @Test("An adapter that does not come back in ten seconds is absent, with the reason; it may still come")
  func noReturn() {
    let bench = Bench(.refuses)
    bench.harness.keepsLentAdapter = true
    bench.chooses()
    bench.scenario.run(seconds: 9)
    #expect(bench.radio.link == .lent)
    bench.scenario.run(seconds: 3)
    #expect(bench.radio.state == .absent && bench.radio.detail.contains("not back 10 s after"))
    #expect(bench.harness.agent.metrics.contains { $0.name == "accessoryd_radio_returns_failed_total" })
    bench.harness.takeLentAdapter()
    bench.scenario.run(seconds: 2)
    #expect(bench.radio.state == .on)
  }

  @Test("A manifest that has the adapter opened anew meanwhile ends the pairing")
  func reload() {
    let bench = Bench(.silent)
    let call = bench.chooses()
    bench.scenario.run(seconds: 2)
    #expect(bench.radio.link == .lent)
    var configuration = bench.harness.agent.configuration
    configuration.manifest.gateway.power = .keep
    bench.harness.reading = .accepted(configuration, radioSource: "hci3", warnings: [])
    bench.harness.readManifestAgain()
    bench.harness.takeLentAdapter()
    bench.scenario.run(seconds: 2)
    #expect(call.replies.last?.error != nil && bench.radio.state == .on)
    bench.harness.agent.checkInvariants()
  }

  @Test("Of two pickers one pairs, and the other is refused without a second pause")
  func twoPickers() {
    let bench = Bench(.compares)
    let garden = bench.scenario.app("garden", user: 1001)
    bench.chooses()
    bench.scenario.run(seconds: 2)
    let second = bench.chooses(garden)
    bench.scenario.run(seconds: 2)
    #expect(second.replies.last?.error != nil)
    #expect(bench.opcodes.count { $0 == .pairDevice } == 1 && bench.radio.link == .lent)
  }

  @Test("A request that the app ends gives the adapter back")
  func cancelled() {
    let bench = Bench(.compares)
    bench.chooses()
    bench.scenario.run(seconds: 2)
    bench.lights.call("CancelPicker")
    bench.scenario.run(seconds: 3)
    #expect(bench.radio.state == .on && bench.bonds.isEmpty && !bench.kernelHasKeys)
  }
}
