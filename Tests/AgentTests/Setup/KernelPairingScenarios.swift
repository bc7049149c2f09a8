// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import AdapterSupport
@testable import Agent
import Controller
import HCI
import Manifest
import Pairing
import Registry
import Setup
import Testing
import Varlink
import VirtualRadio

/// A gateway whose shared adapter has a model kernel, and an app whose bulb is paired.
struct KernelPairingBench {
  static let bulb = DeviceAddress(bits: 0xC000_0000_0001, type: .random)

  let harness: AgentHarness
  let scenario: SetupScenario
  let lights: ScenarioApp
  let anna: ScenarioOperator

  init(
    _ behaviour: PairingPeer.Behaviour, isPrivate: Bool = false, runsBluetoothd: Bool = false,
    scan: Gateway.Scan = .passive, as kind: RadioKind = .sharedAdapter(index: ModelKernel.index),
    demandsAuthentication: Bool = false, confirms: Bool = false, refusals: [(MgmtOpcode, MgmtStatus)] = []
  ) {
    let manifest = GatewayManifest.lightsAndGarden.with { manifest in
      manifest.gateway.scan = scan
      manifest.gateway.radio = .index(ModelKernel.index)
      for app in manifest.apps.indices {
        manifest.apps[app].items[0].descriptor.supportedOptions = .bluetoothPairingLE
        manifest.apps[app].items[0].setupOptions =
          isPrivate ? .rename : confirms ? .confirmAuthorization : []
        if demandsAuthentication { manifest.apps[app].items[0].pairing = .authenticated }
      }
    }
    var peer = PairingPeer(behaviour)
    (peer.identity, peer.isPrivate) = (Self.bulb, isPrivate)
    let scene = isPrivate ? SceneDevice.rotatingBulb(key: peer.identityKey.key) : .bulb(1)
    harness = AgentHarness(manifest, scene: [scene], access: .twoApps)
    harness.runsBluetoothd = runsBluetoothd
    harness.pairingKernel = ModelKernel()
    harness.pairingKernel?.peers = [peer]
    harness.pairingKernel?.refusals = refusals
    harness.kernel = StandInKernel()
    // A controller scans and goes on reporting; then the shared adapter comes in its place.
    scenario = SetupScenario(harness)
    harness.radioComes(as: kind)
    lights = scenario.app()
    anna = scenario.watcher("anna", ["display", "keyboard", "yesNo"])
    scenario.skip(seconds: 1)
  }

  /// An operator has chosen the bulb for the app.
  @discardableResult
  func chooses(wait seconds: Double = 0) -> ScenarioCall {
    lights.call("ShowPicker", wait: 1)
    return anna.choose(1, wait: 1 + seconds)
  }

  /// What the operator reads about pairings while the app's picker is open.
  var note: String? {
    lights.call("ShowPicker", wait: 2)
    return anna.stream?.replies.compactMap { $0.object("request") }.last?.text("pairingNote")
  }

  /// The app connects, and the authentication fails.
  func refusesKeys() {
    lights.call("Connect", about: lights.accessory)
    harness.pairingKernel?.emit(.disconnected(Self.bulb, .authenticationFailed), harness.now)
    scenario.run(seconds: 0.1)
    harness.linkFails(.bondRefused)
  }

  var keyOwners: [DeviceAddress] { harness.pairingKernel?.longTermKeys.map(\.device) ?? [] }
  var bonds: [DeviceBond] { harness.agent.setupCore.bonds }
  var opcodes: [MgmtOpcode] { harness.pairingCommands.map(\.opcode) }
}

@Suite("Pairing through the kernel, in the agent")
struct KernelPairingScenarios {
  private typealias Bench = KernelPairingBench

  @Test("A chosen device is paired, and its bond written with the accessory; removing it removes the bond")
  func pairing() throws {
    let bench = Bench(.justWorks)
    #expect(bench.opcodes.first == .loadIdentityKeys)
    let call = bench.chooses()
    #expect(call.replies.map(\.error) == [nil])
    let bond = try #require(bench.bonds.first)
    #expect(bond.identity == Bench.bulb && bond.bond.isBonded && bench.keyOwners == [Bench.bulb])
    // The socket of scans carries none of it.
    #expect(bench.harness.managed.allSatisfy { $0.opcode != .pairDevice && $0.opcode != .loadLongTermKeys })
    bench.lights.call("RemoveAccessory", about: bench.lights.accessory, wait: 1)
    #expect(bench.bonds.isEmpty && bench.keyOwners.isEmpty)
  }

  @Test("An operator reads beforehand that the gateway cannot pair, and why")
  func note() {
    #expect(Bench(.justWorks).note == nil)
    #expect(Bench(.justWorks, as: .listener).note == PairingError.notPermitted.note)
    #expect(Bench(.justWorks, as: .recording).note == PairingError.radioIsSimulated.note)
    for (status, error) in [
      (MgmtStatus.permissionDenied, PairingError.notPermitted),
      (.notSupported, .notSupported("the kernel takes no keys for this adapter")),
    ] {
      let bench = Bench(.justWorks, refusals: [(.loadLongTermKeys, status)])
      #expect(bench.note == error.note)
    }
  }

  @Test("A refused pairing leaves neither accessory nor keys")
  func refusal() {
    let bench = Bench(.refuses)
    bench.chooses(wait: 2)
    #expect(bench.bonds.isEmpty && bench.keyOwners.isEmpty)
    #expect(bench.harness.pairingKernel?.isBondable == false)
    #expect(bench.harness.agent.metrics.contains { $0.name.contains("pairings_total") })
  }

  @Test("The keys are loaded again when the adapter comes back")
  func replugging() {
    let bench = Bench(.justWorks)
    bench.chooses()
    bench.harness.radioVanishes()
    bench.harness.pairingKernel?.unplug(bench.harness.now)
    bench.scenario.run(seconds: 1)
    #expect(bench.keyOwners.isEmpty)
    bench.harness.radioComes(as: .sharedAdapter(index: ModelKernel.index))
    bench.scenario.run(seconds: 1)
    #expect(bench.keyOwners == [Bench.bulb])
  }

  @Test(
    "An adapter that a new manifest gives up, or has held alone, keeps no key, and gets them when it is back",
    arguments: [Gateway.Access.shared, .exclusive])
  func givenUp(access: Gateway.Access) {
    let bench = Bench(.justWorks)
    bench.chooses()
    #expect(bench.keyOwners == [Bench.bulb])
    var configuration = bench.harness.agent.configuration
    configuration.manifest.gateway.access = access
    if access == .shared { configuration.manifest.gateway.radio = .index(9) }
    bench.harness.reading = .accepted(configuration, radioSource: "hci9", warnings: [])
    bench.harness.readManifestAgain()
    #expect(bench.keyOwners.isEmpty && bench.bonds.map(\.bond.isBonded) == [true])
    bench.harness.radioComes(as: .sharedAdapter(index: ModelKernel.index))
    bench.scenario.run(seconds: 1)
    #expect(bench.keyOwners == [Bench.bulb])
  }

  @Test("An adapter that vanishes during a pairing ends the setup with its sentence, and leaves nothing")
  func vanishing() {
    let bench = Bench(.compares)
    let call = bench.chooses()
    #expect(bench.harness.setupCore.requests.first?.state.name == "pairing")
    bench.harness.radioVanishes()
    bench.harness.pairingKernel?.unplug(bench.harness.now)
    bench.scenario.run(seconds: 1)
    #expect(call.replies.last?.text("reason") == PairingError.radioIsGone.setupFailure.reason)
    #expect(call.replies.last?.text("cure") == PairingError.radioIsGone.setupFailure.cure)
    #expect(bench.scenario.text.contains("pickerFinished connectionFailed"))
    bench.harness.radioComes(as: .sharedAdapter(index: ModelKernel.index))
    bench.scenario.run(seconds: 1)
    #expect(bench.bonds.isEmpty && bench.keyOwners.isEmpty && bench.harness.setupCore.requests.isEmpty)
    #expect(bench.harness.pairingKernel?.pending == nil && bench.harness.pairingKernel?.isBondable == false)
  }

  @Test("A picker that closes with the question open leaves nothing in the kernel")
  func closing() {
    let bench = Bench(.compares)
    let call = bench.chooses()
    #expect(bench.scenario.text.contains("pairing Lumo bulb compare 123456"))
    bench.lights.call("CancelPicker", wait: 5)
    #expect(call.replies.last?.error?.hasSuffix("SetupFailed") == true)
    #expect(bench.opcodes.contains(.cancelPairDevice))
    #expect(bench.bonds.isEmpty && bench.keyOwners.isEmpty && bench.harness.setupCore.requests.isEmpty)
    #expect(bench.harness.pairingKernel?.pending == nil && bench.harness.pairingKernel?.isBondable == false)
  }

  @Test("A new pairing that is taken back leaves the lost bond, by which the kernel still knows the device")
  func takenBack() {
    let bench = Bench(.justWorks, isPrivate: true)
    bench.chooses()
    bench.anna.answer("Name", #""name":"Desk""#, wait: 1)
    #expect(bench.keyOwners == [Bench.bulb])
    bench.refusesKeys()
    bench.scenario.run(seconds: 1)
    let garden = bench.scenario.app("garden", user: 1001)
    garden.call("ShowPicker", wait: 1)
    bench.harness.registry.replies = [.failed(.full, isOpen: true)]
    bench.anna.choose(1, wait: 5)
    #expect(bench.harness.agent.pairing.counters.results[.paired] == 2)
    #expect(bench.bonds.map(\.bond.isBonded) == [false] && bench.keyOwners.isEmpty)
    #expect(bench.harness.pairingKernel.map { Array($0.identityKeys.keys) } == [Bench.bulb])
  }

  @Test("A device that refuses its keys has lost its bond, and the log says so without them")
  func lostBond() {
    let bench = Bench(.justWorks)
    bench.chooses()
    bench.refusesKeys()
    bench.scenario.run(seconds: 1)
    #expect(bench.bonds.first.map { !$0.bond.isBonded } == true)
    #expect(bench.keyOwners.isEmpty)
    #expect(bench.harness.notices.contains(.pairing(.bondWasLost(Bench.bulb))))
  }

  @Test("A lost bond that the disk did not write is one that is not lost, and its keys are loaded again")
  func unwrittenLoss() {
    let bench = Bench(.justWorks)
    bench.chooses()
    // The kernel and the link report it.
    bench.harness.registry.replies = [.failed(.full, isOpen: true), .failed(.full, isOpen: true)]
    bench.refusesKeys()
    bench.scenario.run(seconds: 1)
    #expect(bench.bonds.map(\.bond.isBonded) == [true] && bench.keyOwners == [Bench.bulb])
    bench.refusesKeys()
    bench.scenario.run(seconds: 1)
    #expect(bench.bonds.map(\.bond.isBonded) == [false] && bench.keyOwners.isEmpty)
  }

  @Test("Beside bluetoothd the kernel's lists are left alone, and one that starts ends the pairing")
  func besideBluetoothd() {
    let beside = Bench(.justWorks, runsBluetoothd: true)
    #expect(beside.opcodes.isEmpty)
    let bench = Bench(.silent)
    let call = bench.chooses(wait: 3)
    #expect(bench.harness.pairingKernel?.pending != nil && call.replies.isEmpty)
    // It changes no setting that the pairing has not changed before, so that the kernel reports nothing.
    bench.harness.runsBluetoothd = true
    bench.scenario.run(seconds: 1.5)
    #expect(bench.harness.pairingKernel?.pending == nil)
    #expect(call.replies.last?.text("reason") == "bluetoothd started or ended during the pairing")
    #expect(bench.opcodes.last == .unpairDevice)
    #expect(bench.harness.agent.pairing.counters.results[.bluetoothd] == 1)
  }

  @Test("The bus is open during a pairing beside bluetoothd, and closed where there is nothing to do")
  func bus() {
    let bench = Bench(.justWorks, runsBluetoothd: true)
    #expect(!bench.harness.isBusOpen && bench.harness.busCalls.isEmpty)
    let call = bench.chooses()
    #expect(bench.harness.isBusOpen)
    #expect(bench.harness.busCalls.map(\.method).contains(.registerAgent(.keyboardDisplay)))
    // Its bluetoothd replies to nothing.
    bench.scenario.run(seconds: 20)
    #expect(call.replies.last?.text("reason")?.contains("bluetoothd does not reply") == true)
    #expect(!bench.harness.isBusOpen && bench.opcodes.isEmpty)
  }

  @Test("While bluetoothd looks for the device and pairs it, the scan is passive and otherwise as before")
  func scanPlan() throws {
    let bench = Bench(.justWorks, runsBluetoothd: true, scan: .auto)
    let idle = try #require(bench.harness.agent.scanPlan)
    bench.lights.call("ShowPicker", wait: 1)
    let open = try #require(bench.harness.agent.scanPlan)
    #expect(idle.mode == .auto && open.mode == .active)
    bench.anna.choose(1, wait: 1)
    var expected = open
    expected.mode = .passive
    #expect(bench.harness.agent.pairing.needsDiscovery && bench.harness.agent.scanPlan == expected)
    // Its bluetoothd replies to nothing, which ends the request.
    bench.scenario.run(seconds: 20)
    #expect(!bench.harness.agent.pairing.needsDiscovery && bench.harness.agent.scanPlan == idle)
  }

  @Test("A migrated device that bluetoothd has a bond with keeps it, and is connected to with encryption")
  func migration() throws {
    for runsBluetoothd in [true, false] {
      let bench = Bench(.justWorks, runsBluetoothd: runsBluetoothd)
      let migrated = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)
      bench.harness.knownDevices = KnownDevices([migrated], bonded: [migrated])
      bench.lights.call(
        "ShowPicker",
        #""items":[{"item":"bulb","migrate":{"bluetoothIdentifier":"00000000-0000-0000-0000-C4A100001E27"}}]"#
      )
      bench.scenario.run(seconds: 1)
      bench.anna.answer("Agree", wait: 1)
      let device = try #require(bench.harness.setupCore.registry.devices.first)
      let bond = BondRecord(owner: .bluetoothd, isAuthenticated: false, keys: BondKeys())
      #expect(device.identity == .bluetooth(migrated))
      #expect(device.bond == (runsBluetoothd ? .bonded(bond) : Bond.none))
      #expect(bench.harness.isBusOpen == runsBluetoothd)
      bench.lights.call("Connect", about: bench.lights.accessory)
      #expect(bench.harness.openLinks.last?.target.security.level == (runsBluetoothd ? .medium : .low))
    }
  }

  @Test("A bluetoothd that ends before the pairing has ended ends it with its own sentence")
  func bluetoothdEnds() {
    let bench = Bench(.justWorks, runsBluetoothd: true)
    let call = bench.chooses()
    bench.harness.bluetoothdEnds()
    bench.scenario.run(seconds: 2)
    #expect(call.replies.last?.text("reason") == "bluetoothd started or ended during the pairing")
    #expect(!bench.harness.isBusOpen && bench.harness.agent.pairing.backend == .kernel)
  }

  @Test("A listener and a simulated controller pair nothing")
  func otherRadios() {
    for kind in [RadioKind.listener, .controller] {
      let bench = Bench(.justWorks, as: kind)
      #expect(bench.opcodes.isEmpty)
      #expect(bench.harness.agent.pairing.backend != .kernel)
    }
  }

  @Test(
    "A message that is too short, or has a value that there is not, is counted, logged and changes nothing")
  func malformed() {
    let bench = Bench(.justWorks)
    let before = bench.harness.agent.counters.reception.mgmtMessagesTruncated
    bench.harness.agent.receive(
      pairingMessage: ([0x0A, 0, 3, 0, 5, 0, 1] as [UInt8]).span.rawBytes, at: bench.harness.now)
    #expect(bench.harness.agent.counters.reception.mgmtMessagesTruncated == before + 1)
    // Passkey Notify with seven digits.
    bench.harness.agent.receive(
      pairingMessage: ([0x17, 0, 3, 0, 12, 0, 1, 0, 0, 0, 0, 0xC0, 2, 0x40, 0x42, 0x0F, 0, 0] as [UInt8]).span
        .rawBytes, at: bench.harness.now)
    #expect(bench.harness.agent.counters.reception.mgmtMessagesInvalid == 1)
    #expect(bench.harness.agent.counters.reception.mgmtMessagesTruncated == before + 1)
    bench.scenario.run(seconds: 0.1)
    let ignored = bench.harness.notices.filter { if case .mgmtMessageIgnored = $0 { true } else { false } }
    #expect(
      ignored == [
        .mgmtMessageIgnored(.truncated(byteCount: 7)),
        .mgmtMessageIgnored(.invalidDigits(event: 0x17, KernelPairingBench.bulb)),
      ])
  }

  @Test("The person reads that the kernel asked about digits that cannot be shown")
  func invalidDigits() {
    let bench = Bench(.silent)
    let call = bench.chooses()
    // User Confirmation Request with seven digits.
    bench.harness.agent.receive(
      pairingMessage: ([0x0F, 0, 3, 0, 12, 0, 1, 0, 0, 0, 0, 0xC0, 2, 0, 0x40, 0x42, 0x0F, 0] as [UInt8]).span
        .rawBytes, at: bench.harness.now)
    bench.scenario.run(seconds: 5)
    #expect(call.replies.last?.text("reason")?.contains("the kernel asked about digits above 999999") == true)
    #expect(call.replies.last?.text("cure")?.contains("update the kernel") == true)
    #expect(bench.harness.agent.counters.reception.mgmtMessagesInvalid == 1)
  }

  @Test(
    "A message over the bus that cannot be read, or that another program sent, is in the log and the metrics")
  func malformedBusMessages() {
    let bench = Bench(.justWorks, runsBluetoothd: true)
    for event in [BusEvent.malformed, .otherProgram] {
      bench.harness.agent.receive(event, at: bench.harness.now)
    }
    bench.scenario.run(seconds: 0.1)
    #expect(bench.harness.notices.contains(.pairing(.busMessageWasIgnored(.unreadable))))
    #expect(bench.harness.notices.contains(.pairing(.busMessageWasIgnored(.otherProgram))))
    var text = MetricsText()
    bench.harness.agent.pairingMetrics.forEach { text.write($0) }
    #expect(text.text.contains("\naccessoryd_bluetoothd_messages_total{reason=\"malformed\"} 2\n"))
  }

  @Test("Keys and settings that the kernel rejects are in the log and the metrics")
  func rejectedKeys() throws {
    let bench = Bench(.justWorks)
    bench.harness.pairingKernel?.refusals = [
      (.loadLongTermKeys, .rejected), (.setSecureConnections, .rejected),
    ]
    bench.harness.pairingKernel?.setPower(false, bench.harness.now)
    bench.scenario.run(seconds: 0.1)
    bench.harness.pairingKernel?.setPower(true, bench.harness.now)
    bench.scenario.run(seconds: 3)
    #expect(bench.harness.notices.contains(.pairing(.keysWereRejected(.rejected))))
    #expect(
      bench.harness.notices.contains(.pairing(.settingWasRejected(.setSecureConnections, .rejected))))
    var text = MetricsText()
    bench.harness.agent.pairingMetrics.forEach { text.write($0) }
    #expect(text.text.contains("\naccessoryd_key_lists_rejected_total 1\n"))
    #expect(
      text.text.contains(
        "\naccessoryd_pairing_settings_rejected_total{setting=\"secureConnections\"} 1\n"))
  }
}
