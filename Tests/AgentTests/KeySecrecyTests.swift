// SPDX-License-Identifier: GPL-3.0-or-later

import AgentRuntime
import HCI
import JSON
import Manifest
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

  /// What in some bytes is a key, or six bytes of one in a row: raw, in hexadecimal digits, or as numbers of a list.
  private static func findings(in haystack: [UInt8]) -> [String] {
    let text = String(decoding: haystack, as: UTF8.self).lowercased()
    let digits = text.filter { $0 != ":" && $0 != "-" && $0 != " " && $0 != "," }
    return needles.flatMap { key in
      (0...10).compactMap { start -> String? in
        let part = Array(key[start..<start + 6])
        let hex = part.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let list = part.map { String($0) }.joined(separator: ",")
        let isFound =
          digits.contains(hex) || text.replacing(" ", with: "").contains(list) || haystack.holds(part)
        return isFound ? hex : nil
      }
    }
  }

  @Test("The search finds a key in each of its forms")
  func control() {
    let key = Rows.key(13).bytes
    #expect(!Self.findings(in: key).isEmpty)
    #expect(!Self.findings(in: Array("\(key)".utf8)).isEmpty)
    #expect(
      !Self.findings(
        in: Array(key.map { String($0, radix: 16, uppercase: true) }.joined(separator: ":").utf8)
      ).isEmpty)
    #expect(Self.findings(in: Array("C0:00:00:00:00:01 and accessoryd 0.1.0".utf8)).isEmpty)
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
    output.append(dumped(harness.agent.setupCore.registry.devices))
    for text in output { #expect(Self.findings(in: Array(text.utf8)).isEmpty, "\(text.prefix(400))") }
  }

  private func dumped(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }
}

extension [UInt8] {
  fileprivate func holds(_ part: [UInt8]) -> Bool {
    guard count >= part.count else { return false }
    return (0...(count - part.count)).contains { Array(self[$0..<$0 + part.count]) == part }
  }
}
