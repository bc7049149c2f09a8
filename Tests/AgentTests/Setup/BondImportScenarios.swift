// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import HCI
import JSON
import Registry
import RegistrySupport
import Testing
import Varlink

@Suite("Bonds that operators import")
struct BondImportScenarios {
  private func importBond(_ bench: BondedBench, _ members: String) -> ScenarioCall {
    let call = bench.anna.call(
      "ImportBond", #""device":"C0:00:00:00:00:01","addressType":"random",\#(members)"#)
    bench.scenario.run(seconds: 1)
    return call
  }

  @Test("While bluetoothd runs on the adapter, the gateway takes over no bond; it may learn the identity key")
  func besideBluetoothd() {
    let longTermKey =
      #"{"kind":2,"isCentral":false,"byteCount":16,"diversifier":0,"random":"0000000000000000","value":"#
      + "\"\(Hex(Rows.key(9).bytes).text)\"}"
    let gateway = #""owner":"gateway","longTermKeys":[\#(longTermKey)]"#
    let beside = BondedBench(.lost(Rows.foreignBond), runsBluetoothd: true)
    let before = beside.harness.registry.saved
    let refused = beside.failure(importBond(beside, gateway))
    #expect(refused.error == "Invalid" && refused.field == "owner")
    #expect(beside.harness.registry.saved == before)
    #expect(!beside.harness.notices.contains { if case .bondImported = $0 { true } else { false } })
    let key = #""owner":"bluetoothd","identityKey":"\#(Hex(Rows.key(14).bytes).text)""#
    #expect(importBond(beside, key).replies.map(\.error) == [nil])
    #expect(beside.harness.registry.saved.devices.first?.bond.record?.keys.identityKey == Rows.key(14))

    var sized = Rows.foreignBond
    sized.foreignKeyByteCount = 12
    let good = BondedBench(.bonded(sized), runsBluetoothd: true)
    #expect(importBond(good, key).replies.map(\.error) == [nil])
    let record = good.harness.registry.saved.devices.first?.bond.record
    #expect(record?.keys.identityKey == Rows.key(14) && record?.foreignKeyByteCount == 12)

    let alone = BondedBench(.lost(Rows.foreignBond))
    #expect(importBond(alone, gateway).replies.map(\.error) == [nil])
    #expect(alone.harness.registry.saved.devices.first?.bond.record?.owner == .gateway)
    let reason = importBond(alone, gateway).replies.last?.text("reason")
    #expect(reason?.contains("already has a bond with it") == true, "\(reason ?? "")")
    #expect(reason?.contains("remove the accessory and set it up again") == true)
  }
}
