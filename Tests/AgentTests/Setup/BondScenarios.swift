// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
@testable import Agent
import Controller
import Discovery
import HCI
import JSON
import Manifest
@testable import Pairing
import Registry
import RegistrySupport
import Setup
import Testing
import Varlink
import VirtualRadio

@Suite("Bonds of accessories")
struct BondScenarios {
  @Test("A second app that sets up the device does not pair it again")
  func shared() {
    let bench = PairingBench()
    bench.owns(.digitsCompared)
    let garden = bench.shares()
    #expect(bench.backend.commands.isEmpty && bench.accessories.map(\.app) == ["lights", "garden"])
    #expect(!bench.events(garden).contains("pickerSetupPairing"))
    #expect(bench.bond?.provenState == true)
  }

  @Test("A second app whose item demands more than the bond has is refused, and its request stays open")
  func demandsMore() {
    let bench = PairingBench { $0.apps[1].items[0].pairing = .authenticated }
    bench.owns(.justWorks)
    let garden = bench.scenario.app("garden", user: 1001)
    bench.picks(garden)
    let call = bench.anna.choose()
    #expect(bench.failure(call)?.error == "Invalid")
    #expect(bench.failure(call)?.reason.contains("paired for another app") == true)
    #expect(bench.backend.commands.isEmpty && bench.phase == "choosing")
  }

  @Test("The last accessory of a device takes the bond with it, however it is removed")
  func removal() {
    let bench = PairingBench()
    bench.owns()
    let garden = bench.shares()
    bench.lights.call("RemoveAccessory", about: bench.lights.accessory, wait: 1)
    #expect(bench.backend.commands.isEmpty)
    bench.anna.call("Remove", #""accessory":"\#(garden.accessory)""#, wait: 1)
    #expect(bench.backend.takeCommands() == [.unpair(PairingBench.bulb, .gateway)])

    let reset = PairingBench()
    reset.owns()
    reset.anna.call("Reset", wait: 1)
    #expect(reset.backend.takeCommands() == [.unpair(PairingBench.bulb, .gateway)])
    #expect(reset.harness.setupCore.bonds.isEmpty)
  }

  @Test("A lost bond is reported once to every app that has the accessory, and is kept")
  func lost() throws {
    let bench = PairingBench()
    bench.owns()
    let garden = bench.shares()
    bench.loses()
    bench.loses()
    for app in [bench.lights, garden] {
      let changes = app.events.filter { $0.text("event") == "accessoryChanged" }
      #expect(changes.map { $0.texts("changed") } == [["bond"]])
      #expect(changes.last?.object("accessory")?.text("bond") == "lost")
    }
    #expect(bench.bond == .lost(PairedDevice.sample(.justWorks).record))
    #expect(bench.harness.notices.count { if case .setup(.bondLost) = $0 { true } else { false } } == 2)
    bench.loses(DeviceAddress(bits: 5, type: .public))
    let line = try #require(bench.anna.call("List").replies.first?.object("accessory"))
    #expect(line.text("bond") == "lost" && line.text("bondOwner") == "gateway")
    #expect(line["isBondAuthenticated"] == .bool(false))
  }

  // MARK: - Pairing again

  private func pair(_ bench: PairingBench, _ app: ScenarioApp) -> ScenarioCall {
    bench.anna.call("Pair", #""accessory":"\#(app.accessory)""#)
  }

  @Test("Pairing again gives the device a new bond, and touches no identifier")
  func renewal() throws {
    let bench = PairingBench()
    bench.owns()
    let garden = bench.shares()
    let before = bench.accessories
    bench.loses()
    _ = bench.scenario.takeLines()
    let call = pair(bench, bench.lights)
    let request = try #require(bench.backend.requests.last)
    #expect(request.device == PairingBench.bulb && request.replacesBond && !request.demandsAuthentication)
    bench.scenario.run(seconds: 0.2)
    #expect(call.replies.first?.text("request") == bench.anna.request)
    #expect(bench.scenario.takeLines().contains("anna: pair lights pairing on behalf Lumo bulb"))
    bench.asks(.compare(123_456))
    bench.anna.answer("AnswerPairing", #""matches":true"#)
    bench.succeeds(.digitsCompared)
    #expect(call.replies.last?.text("method") == "digitsCompared")
    #expect(call.replies.last?["isAuthenticated"] == .bool(true))
    #expect(bench.bond == .bonded(PairedDevice.sample(.digitsCompared).record))
    #expect(bench.accessories == before)
    for app in [bench.lights, garden] {
      #expect(app.events.last?.object("accessory")?.text("bond") == "bonded")
    }
    #expect(bench.backend.commands.count == 2 && bench.harness.setupCore.requests.isEmpty)
    #expect(bench.scenario.takeLines().contains("closed a1 Lumo bulb digitsCompared"))
  }

  @Test(
    "A device with private addresses, whose bond bluetoothd has lost, is found and paired through the kernel")
  func renewalThroughKernel() {
    var record = Rows.foreignBond
    record.keys.identityKey = Rows.key(14)
    let bench = BondedBench(.lost(record))
    var peer = PairingPeer(.justWorks)
    peer.identity = BondedBench.identity
    bench.harness.pairingKernel = ModelKernel()
    bench.harness.pairingKernel?.peers = [peer]
    bench.harness.radioComes(as: .sharedAdapter(index: ModelKernel.index))
    bench.scenario.run(seconds: 1)
    #expect(bench.harness.pairingKernel.map { Array($0.identityKeys.keys) } == [BondedBench.identity])
    bench.anna.call("Pair", #""accessory":"\#(bench.accessory)""#, wait: 2)
    #expect(bench.bond == "bonded" && bench.owner == .gateway)
  }

  @Test(
    "A device with private addresses, whose bond the gateway has lost, is found and paired through bluetoothd"
  )
  func renewalThroughBluetoothd() {
    let bench = BondedBench(.lost(Rows.bond(isAuthenticated: false)), runsBluetoothd: true)
    var bluetoothd = ScriptedBluetoothd()
    bluetoothd.adapterBits = bench.harness.agent.radio.shared.address
    bluetoothd.devices = [
      ScriptedBluetoothd.Device(
        path: ScriptedBluetoothd.device, identity: BondedBench.identity,
        address: bench.harness.address(of: BondedBench.rotatingBulb, at: 0))
    ]
    bluetoothd.isKnown = false
    bench.harness.bluetoothd = bluetoothd
    bench.anna.call("Pair", #""accessory":"\#(bench.accessory)""#, wait: 5)
    #expect(bench.bond == "bonded" && bench.owner == .bluetoothd)
  }

  @Test("Pairing again demands what the strictest item of the device does")
  func strictest() {
    let bench = PairingBench { $0.apps[1].items[0].pairing = .authenticated }
    bench.owns(.digitsCompared)
    _ = bench.shares()
    bench.loses()
    let call = pair(bench, bench.lights)
    #expect(bench.backend.requests.last?.demandsAuthentication == true)
    bench.succeeds(.justWorks)
    #expect(bench.failure(call)?.error == "SetupFailed")
    #expect(bench.backend.commands.last == .unpair(PairingBench.bulb, .gateway))
    #expect(bench.bond == .lost(PairedDevice.sample(.digitsCompared).record))
    bench.anna.hangUp()
    #expect(bench.failure(pair(bench, bench.lights))?.error == "SetupFailed")
    #expect(bench.backend.requests.count == 1)
  }

  @Test("Only a lost bond is made again, and one request at a time")
  func refused() {
    let bench = PairingBench()
    #expect(bench.failure(bench.anna.call("Pair", #""accessory":"00""#))?.error == "NotFound")
    bench.owns()
    #expect(bench.failure(pair(bench, bench.lights))?.error == "Invalid")
    bench.loses()
    let first = pair(bench, bench.lights)
    #expect(bench.failure(pair(bench, bench.lights))?.error == "Busy")
    first.hangUp()
    bench.scenario.run(seconds: 0.2)
    #expect(bench.backend.commands.last == .cancel(bench.pairing))
    let failing = pair(bench, bench.lights)
    bench.harness.registry.replies = [.failed(.full, isOpen: true)]
    bench.succeeds()
    #expect(bench.failure(failing)?.error == "SetupFailed")
    #expect(bench.backend.commands.last == .unpair(PairingBench.bulb, .gateway))
    let removed = pair(bench, bench.lights)
    bench.lights.call("RemoveAccessory", about: bench.lights.accessory, wait: 1)
    #expect(bench.failure(removed)?.error == "SetupFailed")
    #expect(bench.backend.commands.suffix(2).contains(.cancel(bench.pairing)))
  }

  @Test("An operator's setup of a device whose bond was lost pairs it again for all apps")
  func setupAfterLoss() {
    let bench = PairingBench { $0.apps[0].items[0].pairing = .authenticated }
    bench.owns(.digitsCompared)
    bench.loses()
    let garden = bench.scenario.app("garden", user: 1001)
    bench.picks(garden)
    bench.anna.choose()
    #expect(bench.backend.requests.last?.replacesBond == true)
    #expect(bench.backend.requests.last?.demandsAuthentication == true)
    bench.succeeds(.digitsShown)
    #expect(bench.accessories.count == 2 && bench.bond?.provenState == true)
    #expect(bench.lights.events.last?.object("accessory")?.text("bond") == "bonded")
  }

  // MARK: - Without a person

  private static func touching(_ pairing: PairingDemand?, _ selection: DisplayItem.Selection) -> PairingBench
  {
    PairingBench(scene: [.bulb(1, level: -35, from: 5)]) { manifest in
      manifest.apps[0].items[0].selection = selection
      manifest.apps[0].items[0].pairing = pairing
      guard selection == .touch else { return }
      manifest.apps[0].items[0].descriptor.range = .immediate
      manifest.apps[0].items[0].gate.isImmediate = true
    }
  }

  @Test(
    "Touch and automatic setup pair only items that allow Just Works, and as no person",
    arguments: [
      DisplayItem.Selection.touch, .automatic,
    ])
  func unattended(selection: DisplayItem.Selection) throws {
    for pairing in [nil, PairingDemand.authenticated] {
      let bench = Self.touching(pairing, selection)
      if selection == .touch { bench.lights.call("ShowPicker") }
      bench.scenario.run(seconds: 10)
      #expect(bench.backend.commands.isEmpty && bench.accessories.isEmpty)
      if selection == .touch {
        #expect(bench.scenario.text.contains("the item's devices are paired, and only a person may do that"))
      }
    }
    let bench = Self.touching(.justWorks, selection)
    if selection == .touch { bench.lights.call("ShowPicker") }
    bench.scenario.run(seconds: 10)
    let request = try #require(bench.backend.requests.first)
    #expect(request.capability == .none && !request.demandsAuthentication)
    bench.succeeds()
    #expect(bench.accessories.count == 1 && bench.bond?.isBonded == true)
    let events = [
      "pickerDidPresent", "pickerSetupPairing", "accessoryAdded", "pickerDidDismiss", "pickerFinished",
    ]
    #expect(bench.events() == (selection == .touch ? events : ["accessoryAdded"]))
  }

  @Test(
    "A reload that changes the item ends its automatic pairing",
    arguments: [nil, PairingDemand.authenticated])
  func automaticReload(demand: PairingDemand?) throws {
    let bench = Self.touching(.justWorks, .automatic)
    bench.scenario.run(seconds: 10)
    let id = try #require(bench.backend.requests.first?.id)
    let manifest = GatewayManifest.lightsAndGarden.with { manifest in
      for app in manifest.apps.indices {
        manifest.apps[app].items[0].descriptor.supportedOptions = .bluetoothPairingLE
      }
      manifest.apps[0].items[0].selection = .automatic
      manifest.apps[0].items[0].pairing = demand
    }
    bench.harness.reading = .accepted(
      AgentCore.Configuration(manifest, board: .attentive, access: .twoApps), radioSource: "h4:bench",
      warnings: [])
    bench.harness.readManifestAgain()
    bench.scenario.run(seconds: 1)
    #expect(bench.backend.commands.last == .cancel(id))
    // The device had been paired already.
    bench.reports(.ended(id, .success(.sample(.justWorks))))
    #expect(bench.backend.commands.last == .unpair(PairingBench.bulb, .gateway))
    #expect(bench.accessories.isEmpty && bench.harness.setupCore.counters.automaticFailed == 0)
  }

  @Test(
    "A device that no person chose, and that turns out to have a bond for another app, is not paired anew",
    arguments: [
      DisplayItem.Selection.touch, .automatic,
    ], [false, true])
  func unattendedKeepsBonds(selection: DisplayItem.Selection, isLost: Bool) throws {
    let identity = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)
    let bench = PairingBench(scene: [.bulb(1), .bulb(2, level: -35, from: 20)]) { manifest in
      manifest.apps[1].items[0].pairing = .justWorks
      manifest.apps[1].items[0].selection = selection
      manifest.apps[1].items[0].descriptor.range = .immediate
      manifest.apps[1].items[0].gate.isImmediate = true
    }
    bench.chooses()
    bench.succeeds(.digitsCompared, identity)
    if isLost { bench.loses(identity) }
    let record = try #require(bench.bond?.record)
    _ = bench.backend.takeCommands()
    let garden = bench.scenario.app("garden", user: 1001)
    if selection == .touch { garden.call("ShowPicker") }
    bench.scenario.run(seconds: 25)
    let request = try #require(bench.backend.requests.first)
    #expect(request.device == DeviceAddress(bits: 0xC000_0000_0002, type: .random))
    bench.succeeds(.justWorks, identity)
    #expect(bench.backend.takeCommands().contains(.unpair(identity, .gateway)))
    // If the device has the new keys only, the next connection shows that the old bond is lost.
    #expect(bench.accessories.map(\.app) == ["lights"])
    #expect(bench.bond == (isLost ? .lost(record) : .bonded(record)))
    if selection == .touch {
      #expect(bench.events(garden).suffix(3) == ["pickerSetupFailed", "pickerDidDismiss", "pickerFinished"])
    }
  }

  @Test(
    "A device that claims the identity of one with a good bond gets neither the bond nor the accessory",
    arguments: [BondOwner.gateway, .bluetoothd])
  func claimedIdentity(owner: BondOwner) throws {
    let identity = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)
    let bench = PairingBench(scene: [.bulb(1), .bulb(2)])
    bench.chooses()
    bench.succeeds(.digitsCompared, identity)
    let record = try #require(bench.bond?.record)
    _ = bench.backend.takeCommands()
    let garden = bench.scenario.app("garden", user: 1001)
    bench.picks(garden)
    let call = bench.anna.choose(2)
    let claimed = BondRecord(owner: owner, isAuthenticated: true)
    bench.reports(
      .ended(
        bench.pairing,
        .success(PairedDevice(identity: identity, record: claimed, method: .digitsEntered))))
    #expect(bench.failure(call)?.error == "SetupFailed")
    #expect(bench.failure(call)?.reason.contains("and so could any other device") == true)
    #expect(bench.backend.takeCommands().contains(.unpair(identity, owner)))
    #expect(bench.accessories.map(\.app) == ["lights"] && bench.bond == .bonded(record))
    #expect(!bench.events().contains("accessoryChanged"))
  }

  @Test("A migration leaves another app's bond, and is refused where it is not what the item demands")
  func migration() {
    for demand in [nil, PairingDemand.authenticated] {
      for method in [PairingMethod.digitsCompared, .justWorks] {
        let bench = PairingBench { $0.apps[1].items[0].pairing = demand }
        bench.owns(method)
        bench.harness.knownDevices = KnownDevices([PairingBench.bulb])
        let garden = bench.scenario.app("garden", user: 1001)
        let known = "00000000-0000-0000-0000-C00000000001"
        garden.call(
          "ShowPicker", #""items":[{"item":"lamp","migrate":{"bluetoothIdentifier":"\#(known)"}}]"#)
        bench.scenario.run(seconds: 1)
        let call = bench.anna.answer("Agree", wait: 1)
        let isRefused = demand == .authenticated && method == .justWorks
        #expect(bench.failure(call)?.error == (isRefused ? "SetupFailed" : ""))
        #expect(bench.failure(call)?.reason.contains("not authenticated") == isRefused)
        #expect(bench.accessories.map(\.app) == (isRefused ? ["lights"] : ["lights", "garden"]))
        #expect(bench.bond == .bonded(PairedDevice.sample(method).record))
        #expect(bench.backend.commands.isEmpty)
      }
    }
  }

  @Test("A failed pairing makes automatic setup wait, and a lost bond is left to operators")
  func automaticFails() {
    let bench = Self.touching(.justWorks, .automatic)
    bench.scenario.run(seconds: 10)
    bench.fails(.refused)
    bench.scenario.run(seconds: 30)
    #expect(bench.backend.requests.count == 1 && bench.harness.setupCore.counters.automaticFailed == 1)
    bench.scenario.run(seconds: 35)
    #expect(bench.backend.requests.count == 2)

    let lost = PairingBench { manifest in
      manifest.apps[1].items[0].selection = .automatic
      manifest.apps[1].items[0].pairing = .justWorks
    }
    lost.scenario.run(seconds: 10)
    lost.succeeds()
    #expect(lost.accessories.map(\.app) == ["garden"])
    lost.loses()
    lost.picks()
    lost.anna.choose()
    lost.succeeds()
    #expect(lost.accessories.map(\.app) == ["garden", "lights"])
    lost.loses()
    lost.anna.call("Remove", #""accessory":"\#(lost.accessories[0].identifier.text)""#)
    lost.anna.call("Allow", #""app":"garden","device":"C0:00:00:00:00:01""#)
    _ = lost.backend.takeCommands()
    lost.scenario.run(seconds: 10)
    #expect(lost.backend.commands.isEmpty && lost.accessories.map(\.app) == ["lights"])
  }
}
