// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import ManifestEdits
import Suggestions
import TestSupport
import Testing

@Suite("Items for a device that seldom sends what they ask for")
struct RareFrameTests {
  /// A device that sends one frame at some steps, and another one at all others.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let wanted: String
    let waits: Bool
    let packets: [(milliseconds: Int64, bytes: [UInt8])]

    init(
      _ title: String, _ rare: String, among others: String, each milliseconds: Int64, count: Int,
      wanted: String, waits: Bool = false, where isRare: (Int) -> Bool
    ) {
      testDescription = title
      self.wanted = wanted
      self.waits = waits
      let frames = [others, rare].map {
        MadeDevice(title, $0, wanted: "", at: RareFrameTests.address.bits).packets(count)
      }
      packets = (0..<count).map { (Int64($0) * milliseconds, frames[isRare($0) ? 1 : 0][$0]) }
    }

    func suggestion() throws -> Suggestion {
      let lamp = MadeDevice("lamp", "M 0006 01 09 ####", wanted: "", at: 0xA0B1_C2D3_E4F5)
      let reports = Suggesting.decoded(packets + lamp.packets(20).map { (0, $0) })
      return try #require(Suggesting.suggestion(for: RareFrameTests.address, from: reports))
    }
  }

  private static let address = DeviceAddress(bits: 0xC4A1_0000_0001, type: .public)
  private static let cases = [
    Case(
      "a service in most frames, a company in few", "M 0eee ## ## ##", among: "U fd34", each: 500, count: 240,
      wanted: "fd34"
    ) { $0 % 40 == 0 },
    Case(
      "the same while it is listened to for 5 s", "M 0eee 01 02 03", among: "U fd34", each: 100, count: 50,
      wanted: "fd34"
    ) { $0 == 20 },
    Case(
      "a company every 20 s, a name every second", "M 0eee ## ##", among: "N Lumo", each: 1000, count: 400,
      wanted: "0eee", waits: true
    ) { $0 % 20 == 0 },
    Case(
      "a company every 8 s, a name every second", "M 0eee ## ##", among: "N Lumo", each: 1000, count: 200,
      wanted: "0eee"
    ) { $0 % 8 == 0 },
    Case(
      "Eddystone-UID every 30 s, URL every second",
      "U feaa ; S feaa 00 ee 00112233445566778899 0a0b0c0d0e0f 0000",
      among: "U feaa ; S feaa 10 ee 03 676f6f2e676c 2f", each: 1000, count: 400,
      wanted: "feaa 000000112233445566778899/ff00ffffffffffffffffffff", waits: true
    ) { $0 % 30 == 5 },
    Case(
      "BTHome in few frames, a name in most", "S fcd2 40 00 @@ 02 ####", among: "N Lumo", each: 500,
      count: 240,
      wanted: "fcd2 40/e0", waits: true
    ) { $0 % 40 == 0 },
    Case(
      "a name three times among readings", "N Thing", among: "V #### ##", each: 1000, count: 600,
      wanted: "Thing", waits: true
    ) { $0 % 200 == 100 },
    Case(
      "a company once, a name else", "M 0eee 01 02", among: "N Lumo", each: 500, count: 200, wanted: "Lumo"
    ) { $0 == 90 },
    Case(
      "a service that takes the place of another", "S fd01 01 ## ##", among: "S fd00 01 ##", each: 500,
      count: 300, wanted: "fd01"
    ) { $0 > 240 },
  ]

  @Test("The item finds it once, and has the key that keeps it where one is needed", arguments: cases)
  func kept(example: Case) throws {
    let suggestion = try example.suggestion()
    #expect(suggestion.descriptor.clauseText == example.wanted, "\(suggestion.item.manifest)")
    let outcome = try Suggesting.run(suggestion, at: example.packets)
    #expect(outcome == .init(found: 1, lost: 0), "\(suggestion.item.manifest)")
    #expect((suggestion.lostMilliseconds != nil) == example.waits, "\(suggestion.item.manifest)")
    let key = "gate.lost-ms = \(suggestion.lostMilliseconds ?? 0)"
    #expect(suggestion.notes.contains { $0.contains(key) } == example.waits, "\(suggestion.notes)")
    #expect(suggestion.item.manifest.hasSuffix("\n\(key)\n") == example.waits, "\(suggestion.item.manifest)")
  }

  @Test("What came once or twice among others is a warning")
  func seldom() throws {
    let button = Case(
      "a press", "S fcd2 44 00 @@ 3a 01", among: "N Lumo", each: 500, count: 200, wanted: "", waits: true
    ) { $0 == 60 || $0 == 120 }
    let suggestion = try button.suggestion()
    #expect(suggestion.descriptor.clauseText == "fcd2 44/e4", "\(suggestion.item.manifest)")
    #expect(suggestion.warnings.first?.contains("came only twice") == true, "\(suggestion.warnings)")
    #expect(try Suggesting.run(suggestion, at: button.packets) == .init(found: 1, lost: 0))
  }

  @Test("A device that pauses as a whole needs no key", arguments: [1000, 20_000, 600_000] as [Int64])
  func pauses(milliseconds: Int64) throws {
    let device = MadeDevice("bursts", "M 0eee 01 @@", "N Lumo", wanted: "", at: Self.address.bits)
    let packets = device.packets(60).enumerated().map {
      (Int64($0 / 6) * milliseconds + Int64($0 % 6) * 30, $1)
    }
    let suggestion = try #require(
      Suggesting.suggestion(for: Self.address, from: Suggesting.decoded(packets)))
    #expect(suggestion.descriptor.clauseText == "0eee")
    #expect(suggestion.lostMilliseconds == nil, "\(suggestion.item.manifest)")
  }
}
