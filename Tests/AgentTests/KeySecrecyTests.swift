// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import AdapterSupport
import Controller
import HCI
import JSON
import Manifest
import Pairing
import Registry
import RegistrySupport
import Setup
import Testing
import Varlink
import VirtualRadio

@testable import Agent

/// What clients receive and what is logged, searched for the keys of a bond.
@Suite("Keys of bonds stay secret")
struct KeySecrecyTests {
  /// A bond with every kind of key. No two keys share a byte.
  private static var bond: BondRecord {
    var bond = Rows.bond()
    bond.keys.longTermKeys.append(
      LongTermKey(
        kind: 1, central: 1, byteCount: 16, diversifier: 0xD1CE, random: 0xFEED_FACE_CAFE_F00D,
        value: Rows.key(11)))
    return bond
  }

  /// Each key in both orders of its bytes.
  private static var needles: [[UInt8]] {
    let keys = bond.keys.longTermKeys.map(\.value.bytes) + [bond.keys.identityKey?.bytes ?? []]
    return keys + keys.map { $0.reversed() }
  }

  @Test("The search finds a key in each of its forms")
  func control() {
    let key = Rows.key(13).bytes
    #expect(!KeySearch.findings(in: key, of: Self.needles).isEmpty)
    #expect(!KeySearch.findings(in: Array("\(key)".utf8), of: Self.needles).isEmpty)
    let hex = key.map { String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    #expect(!KeySearch.findings(in: Array(hex.utf8), of: Self.needles).isEmpty)
    let block = "\(Rows.key(13).block.high)"
    #expect(!KeySearch.findings(in: Array(block.utf8), of: Self.needles).isEmpty)
    #expect(
      KeySearch.findings(in: Array("C0:00:00:00:00:01 and accessoryd 0.1.0".utf8), of: Self.needles).isEmpty)
  }

  @Test("No reply, event, metric, log line or description has a byte of them")
  func silence() throws {
    let bench = BondedBench(.bonded(Self.bond))
    let harness = bench.harness
    let watch = try #require(harness.connect())
    harness.call("Watch", by: watch, more: true)
    let app = bench.app.call("WatchAdvertisements")
    var calls = [app]
    let everything = {
      for method in [
        "Gateway.Status", "Gateway.Metrics", "Gateway.Sightings", "Operator.List", "Operator.Registry",
        "Operator.Export",
      ] {
        calls.append(bench.scenario.call(method, "", user: 0, label: "anna"))
      }
      calls.append(bench.app.call("List"))
      calls.append(bench.app.call("Resolve", about: bench.accessory))
    }
    everything()
    calls.append(bench.connect())
    bench.fails(.bondRefused)
    bench.scenario.run(seconds: 25)
    everything()
    calls.append(bench.connect())
    bench.scenario.run(seconds: 1)
    let replies = calls.flatMap(\.replies) + watch.replies
    let streams = [bench.app.stream, bench.anna.stream].flatMap { $0?.replies ?? [] }
    var output = (replies + streams).map { "\($0)" }
    #expect(output.count > 20)
    output += harness.notices.map { "\($0)" }
    output.append("\(harness.managed)")
    output.append("\(harness.agent.setupCore.registry)")
    output.append(KeySearch.dumped(harness.agent.setupCore.registry.devices))
    #expect(KeySearch.findings(in: output, of: Self.needles) == [])
  }

  @Test("Pairing, its answers, pairing again and a bond that is imported repeat no byte of their keys")
  func pairings() throws {
    let bench = KernelPairingBench(.compares)
    let harness = bench.harness
    let watch = try #require(harness.connect())
    harness.call("Watch", by: watch, more: true)
    harness.pairingKernel?.peers[0].keyNumber = 0x5A
    var calls = [bench.chooses()]
    let answers = {
      bench.scenario.run(seconds: 1)
      calls.append(bench.anna.answer("AnswerPairing", #""matches":true"#))
      bench.scenario.run(seconds: 2)
    }
    let loses = {
      bench.refusesKeys()
      bench.scenario.run(seconds: 1)
    }
    answers()
    loses()
    harness.pairingKernel?.peers[0].keyNumber = 0x33
    calls.append(bench.anna.call("Pair", #""accessory":"\#(bench.lights.accessory)""#))
    answers()
    #expect(bench.bonds.first?.bond.isBonded == true)
    loses()
    let key =
      #"{"kind":3,"isCentral":false,"byteCount":16,"diversifier":0,"random":"0000000000000000","value":"#
    calls.append(
      bench.anna.call(
        "ImportBond",
        #""device":"C0:00:00:00:00:01","addressType":"random","owner":"gateway","longTermKeys":[\#(key)"#
          + "\"\(Hex(Rows.key(9).bytes).text)\"}]"))
    bench.scenario.run(seconds: 1)
    #expect(bench.bonds.first?.bond.record?.keys.longTermKeys.map(\.value) == [Rows.key(9)])
    for method in [
      "Gateway.Status", "Gateway.Metrics", "Operator.List", "Operator.Registry", "Operator.Export",
    ] {
      calls.append(bench.scenario.call(method, "", user: 0, label: "anna"))
    }
    #expect(calls.allSatisfy { !$0.replies.isEmpty && $0.replies.allSatisfy { $0.error == nil } })
    let streams = [bench.lights.stream, bench.anna.stream, watch].flatMap { $0?.replies ?? [] }
    var output = (calls.flatMap(\.replies) + streams).map { "\($0)" }
    output += harness.notices.map { "\($0)" }
    output += ["\(harness.pairingCommands)", "\(harness.agent.setupCore.registry)"]
    output.append(KeySearch.dumped(harness.agent.pairing))
    let keys = [[UInt8](repeating: 0xB4, count: 16), [UInt8](repeating: 0x66, count: 16), Rows.key(9).bytes]
    #expect(KeySearch.findings(in: output, of: keys + keys.map { $0.reversed() }) == [])
  }
}
