// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
@testable import Agent
import HCI
import JSON
import Manifest
@testable import Pairing
import Registry
import RegistryFormat
import RegistrySupport
import Testing
import Varlink

@Suite("Bonds that bluetoothd is to remove")
struct BondRemovalScenarios {
  private static let adapter = "/org/bluez/hci3"
  private static let device = adapter + "/dev_C0_00_00_00_00_01"

  private func waiting(_ bench: BondedBench) -> [DeviceAddress] {
    bench.harness.registry.saved.bondRemovals.map(\.address)
  }

  private func replace(_ bench: BondedBench, by registry: AccessoryRegistry) {
    let lines = RegistryExport(registry, includesKeys: true).map(\.debugDescription)
    bench.anna.call(
      "Import", #""begins":true,"commits":true,"lines":[\#(lines.joined(separator: ","))]"#)
    bench.scenario.run(seconds: 1)
  }

  /// A gateway whose accessories were removed while no bluetoothd ran.
  private func removed() -> BondedBench {
    let bench = BondedBench(.bonded(Rows.foreignBond))
    for accessory in bench.harness.registry.saved.accessories {
      bench.anna.call("Remove", #""accessory":"\#(accessory.identifier.text)""#)
    }
    bench.scenario.run(seconds: 1)
    return bench
  }

  /// bluetoothd lists the device, and the agent has it removed.
  private func removes(_ harness: AgentHarness) throws {
    let list = try #require(harness.busCalls.last)
    #expect(list.method == .listObjects)
    harness.agent.receive(
      .adapter(path: Self.adapter, .init(addressBits: 0xA11, addressType: .public)), at: harness.now)
    harness.agent.receive(
      .device(
        path: Self.device,
        .init(
          addressBits: BondedBench.identity.bits, addressType: .random, adapter: Self.adapter, isPaired: true)
      ), at: harness.now)
    harness.agent.receive(.reply(to: list.number, nil), at: harness.now)
    harness.turn()
    let removal = try #require(harness.busCalls.last)
    #expect(removal.method == .removeDevice(Self.device, adapter: Self.adapter))
    #expect(harness.registry.saved.bondRemovals.count == 1)
    harness.agent.receive(.reply(to: removal.number, nil), at: harness.now)
    harness.turn()
    #expect(harness.registry.saved.bondRemovals.isEmpty && !harness.isBusOpen)
  }

  @Test("A device whose bond is being removed for another app is not added without one")
  func removedMeanwhile() {
    let bench = PairingBench()
    bench.owns()
    let garden = bench.scenario.app("garden", user: 1001)
    bench.picks(garden)
    bench.harness.registry.isHeld = true
    bench.lights.call("RemoveAccessory", about: bench.lights.accessory)
    let call = bench.anna.choose()
    bench.harness.releaseRegistry()
    bench.scenario.run(seconds: 1)
    #expect(bench.failure(call)?.reason == "the bond that the device had was removed meanwhile")
    #expect(
      bench.accessories.isEmpty && bench.backend.takeCommands() == [.unpair(PairingBench.bulb, .gateway)])
    bench.picks(garden)
    bench.anna.choose()
    bench.succeeds()
    #expect(bench.accessories.map(\.app) == ["garden"] && bench.bond?.isBonded == true)
  }

  @Test("A removal that waits for bluetoothd is kept, and the next run carries it out")
  func nextRun() throws {
    let bench = removed()
    #expect(waiting(bench) == [BondedBench.identity])
    let shown = bench.anna.call("Registry").replies.compactMap { $0.object("unpairing")?.text("device") }
    #expect(shown == ["C0:00:00:00:00:01"])
    let harness = AgentHarness(
      .lightsAndGarden.with { $0.gateway.radio = .index(3) }, access: .twoApps,
      registry: StandInRegistryFile(bench.harness.registry.saved), run: 3)
    harness.radioComes(as: .sharedAdapter(index: 3))
    harness.run(milliseconds: 5000)
    #expect(!harness.isBusOpen)
    harness.radioVanishes()
    harness.runsBluetoothd = true
    harness.radioComes(as: .sharedAdapter(index: 3))
    harness.run(milliseconds: 5000)
    try removes(harness)
  }

  @Test("An agent that ends before the accessory is written has its new bond removed in the next run")
  func endsBeforeWriting() throws {
    let bench = PairingBench { $0.apps[0].items[0].setupOptions = .rename }
    bench.chooses()
    bench.reports(
      .ended(
        bench.pairing,
        .success(
          PairedDevice(identity: BondedBench.identity, record: Rows.foreignBond, method: .justWorks))))
    let left = bench.harness.registry.saved
    #expect(bench.phase == "naming" && left.bondRemovals.map(\.address) == [BondedBench.identity])
    let next = AgentHarness(
      .lightsAndGarden.with { $0.gateway.radio = .index(3) }, access: .twoApps,
      registry: StandInRegistryFile(left), run: 2)
    next.runsBluetoothd = true
    next.radioComes(as: .sharedAdapter(index: 3))
    next.run(milliseconds: 5000)
    try removes(next)

    // The change that adds the accessory keeps the bond.
    bench.anna.answer("Name", #""name":"Desk""#, wait: 1)
    let saved = bench.harness.registry.saved
    #expect(saved.bondRemovals.isEmpty && saved.devices.map(\.bond) == [.bonded(Rows.foreignBond)])
    #expect(bench.backend.commands.count { if case .unpair = $0 { true } else { false } } == 0)
  }

  @Test(
    "bluetoothd's bond is still removed when the gateway, while bluetoothd is away, pairs the device itself")
  func pairedWithoutBluetoothd() {
    let bench = PairingBench()
    bench.reports(.removalWaits(PairingBench.bulb))
    bench.chooses()
    bench.succeeds()
    let saved = bench.harness.registry.saved
    #expect(saved.devices.map(\.bond.record?.owner) == [.gateway] && bench.bond?.isBonded == true)
    #expect(saved.bondRemovals.map(\.address) == [PairingBench.bulb])
    #expect(!bench.backend.commands.contains(.keepBond(PairingBench.bulb)))
  }

  @Test("A reset and an import keep what bluetoothd is to remove, unless the bond is an accessory's again")
  func replaced() throws {
    let bench = BondedBench(.bonded(Rows.foreignBond))
    let before = bench.harness.registry.saved
    bench.anna.call("Reset", wait: 1)
    #expect(waiting(bench) == [BondedBench.identity] && bench.harness.registry.saved.accessories.isEmpty)
    replace(bench, by: before)
    #expect(bench.harness.registry.saved == before && before.bondRemovals.isEmpty)
    // bluetoothd, which starts now, keeps it.
    bench.harness.radioVanishes()
    bench.harness.runsBluetoothd = true
    bench.harness.radioComes(as: .sharedAdapter(index: 3))
    bench.scenario.run(seconds: 1)
    #expect(bench.harness.busCalls.isEmpty)
    replace(bench, by: AccessoryRegistry())
    #expect(waiting(bench) == [BondedBench.identity])
  }
}
