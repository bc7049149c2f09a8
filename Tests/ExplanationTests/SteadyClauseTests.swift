// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Explanation
import HCI
import Manifest
import ManifestEdits
import Suggestions
import TestSupport
import Testing

/// What `suggest` asks for held in every report: no reading, no counter, and no part of the device's own address.
@Suite struct SteadyClauseTests {
  /// Devices with what changes in each place, among an unrelated device that makes the shortest clause too short.
  struct Case: Sendable, CustomTestStringConvertible {
    let device: MadeDevice
    /// What a device of another kind sends; nil for one that shares nothing.
    let unrelated: String?
    /// Whether the frame that is asked for never changes.
    let isConstant: Bool

    var testDescription: String { device.title }

    init(
      _ title: String, _ frames: [String], besides unrelated: String? = nil, wanted: String,
      isConstant: Bool = false
    ) {
      self.isConstant = isConstant || !frames.contains { $0.contains { "#@%".contains($0) } }
      let bits = 0xF0C7_7F11_0000 + UInt64(title.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFF })
      device = MadeDevice(title, frames: frames, wanted: wanted, at: bits)
      self.unrelated = unrelated
    }
  }

  private static let uuid = "6b4630d6-7b1e-4d2a-9c3f-10a0b0c0d0e0"
  private static let listed = "L e0d0c0b0a0103f9c2a4d1e7bd630466b"

  private static let companies = [
    Case("a reading for the company", ["\(listed) ; V #### ## 63"], wanted: uuid),
    Case("a reading for half the company", ["U ffe0 ; V c2 ## ## 01"], wanted: "ffe0"),
    Case("a counter for the company", ["U ffe0 ; V @@ 00 11 22"], wanted: "ffe0"),
    Case("a slow counter beside a reading", ["U ffe0 ; V 05 @@ ## ##"], wanted: "ffe0"),
    Case("the address for the company", ["U ffe0 ; V A", "R: N Charger"], wanted: "ffe0"),
    Case("the address in reverse", ["U ffe0 ; V a", "R: N Charger"], wanted: "ffe0"),
    Case("two bytes of the address for the company", ["U ffe0 ; V a2 ## ##"], wanted: "ffe0"),
    Case("the address across two fields", ["U ffe0 ; V 05 A ##"], wanted: "ffe0"),
    Case("a reading for the company, and a name", ["N Lumo ; V #### ## 63"], wanted: "Lumo"),
    Case(
      "a reading for the company, and a name with the address", ["N TP357 (~) ; V c2 ## ##"],
      wanted: "TP357 ("),
    Case(
      "a name only in the scan response", ["V #### ## 63", "R: N Charger"], wanted: "Charger",
      isConstant: true),
    Case("two companies, one a reading", ["V #### 01 02 ; M 0eee 01 ##"], wanted: "0eee"),
    Case("two companies, the later a reading", ["M 0eee 01 ## ; V #### 01 02"], wanted: "0eee"),
    Case(
      "two frames, one with a reading for the company", ["V #### 01 02", "U ffe0 ; N Lumo"], wanted: "ffe0",
      isConstant: true),
    Case("two companies in turn", ["M 0eee 01 ## ##", "M 0fff 02 ## ## ##"], wanted: "0eee"),
  ]

  /// What changes at the beginning of the data of a company or a service: `field` is its letter and key.
  private static func changing(in place: String, _ field: String, _ key: String) -> [Case] {
    [
      ("a reading", "## 01 ## ##", "33 02 ## ## ##", " 0001/00ff"),
      ("a counter", "@@ 01 ## ##", "33 02 ## ## ##", " 0001/00ff"),
      ("the address", "A 01 ##", "33 02 ## ##", ""), ("the reversed address", "a 01 ##", "33 02 ##", ""),
    ].map { title, data, unrelated, blob in
      Case(
        "\(title) first in the \(place)", ["\(field) \(key) \(data)"],
        besides: "\(field) \(key) \(unrelated)",
        wanted: key + blob)
    }
  }

  private static let data =
    changing(in: "data", "M", "0eee") + changing(in: "service data", "S", "fd00") + [
      Case("the address as text in the data", ["M 0eee T ##"], besides: "M 0eee 33 02 ##", wanted: "0eee"),
      Case(
        "two bytes of the address in the data", ["M 0eee 07 a2 ##"], besides: "M 0eee 08 02 ##",
        wanted: "0eee 07"),
      Case(
        "the address with colons in the data", ["M 0eee 07 T: ##"], besides: "M 0eee 08 02 ##",
        wanted: "0eee 07"),
      Case(
        "the reversed digits of the address in the data", ["M 0eee 07 t ##"], besides: "M 0eee 08 02 ##",
        wanted: "0eee 07"),
      Case("the address in a listed service", ["L e0d0c0b0a0103f9c2a4d a ; M 0eee 01 ##"], wanted: "0eee"),
      Case(
        "service data in turn", ["S fd00 01 ##", "S fd01 02 ## ##"], besides: "U fd00", wanted: "fd01"),
    ]

  private static let names = [
    Case("a reading in the name", ["N T 2%.%C ; U ffe0"], besides: "U ffe0", wanted: "ffe0"),
    Case(
      "a reading after a name", ["N Lumo 2%.%C ; U ffe0"], besides: "U ffe0", wanted: "ffe0 Lumo "),
    Case("a reading before a name", ["N 2%.%C Lumo ; U ffe0"], besides: "U ffe0", wanted: "ffe0"),
    Case("the address in the name", ["N Lumo ~ ; M 0eee ##"], besides: "M 0eee ## ##", wanted: "0eee Lumo "),
    Case(
      "the reversed address in the name", ["N Lumo_! ; M 0eee ##"], besides: "M 0eee ## ##",
      wanted: "0eee Lumo_"),
    Case("a name in the scan response that is not needed", ["U ffe0", "R: N Lumo"], wanted: "ffe0"),
    Case(
      "a company in the scan response", ["U ffe0", "R: M 0eee 01 ##"], besides: "U ffe0 ; M 0fff 01",
      wanted: "ffe0", isConstant: true),
    Case(
      "a name that alone tells it apart", ["U ffe0", "R: N Lumo"], besides: "U ffe0 ; M 0fff 01",
      wanted: "ffe0 Lumo"),
  ]

  @Test(
    "An item asks for what every report has, finds another unit, and is never lost",
    arguments: companies + data + names)
  func steady(example: Case) throws {
    let device = example.device
    let unit = device.secondUnit
    let unrelated = MadeDevice(
      "unrelated", frames: [example.unrelated ?? "M 0006 01 09 ####"], wanted: "", at: 0xA0B1_C2D3_E4F5)
    let packets = device.packets(80)
    let (first, second) = (packets.prefix(packets.count / 2), packets.suffix(packets.count / 2))
    let room = unit.packets(20) + unrelated.packets(20)
    let suggestion = try #require(Suggesting.suggestion(for: device.address, first + room))
    #expect(suggestion.descriptor.clauseText == device.wanted, "\(suggestion.item.manifest)")
    #expect(!suggestion.descriptor.repeats(device.addressBytes), "\(suggestion.item.manifest)")
    for packets in [first + second, unit.packets(80)[...]] {
      #expect(
        try Suggesting.run(suggestion, packets) == .init(found: 1, lost: 0), "\(suggestion.item.manifest)")
    }
    let kin = "It finds 2 devices of this kind in sight: this one and \(unit.address.text ?? "")"
    #expect(suggestion.notes.contains { $0.hasPrefix(kin) }, "\(suggestion.notes)")
    #expect(!suggestion.warnings.contains { $0.contains("may be a reading") })
    #expect(suggestion.warnings.contains { $0.contains("guess") } == example.isConstant)
    // Without the other unit it asks for the same.
    let alone = Suggesting.suggestion(for: device.address, first + unrelated.packets(20))
    #expect(alone?.descriptor.clauseText == device.wanted)
  }

  @Test("What changes only in later reports is seen there")
  func lateChange() throws {
    let device = MadeDevice("late", "U ffe0 ; V 0e0e 01 ##", wanted: "", at: 0xC4A1_0000_0001)
    let changed = MadeDevice("late", "U ffe0 ; V 0f0e 01 ##", wanted: "", at: 0xC4A1_0000_0001)
    let unrelated = MadeDevice("unrelated", "U ffe0", wanted: "", at: 0xC4A1_0000_0002)
    let early = try #require(
      Suggesting.suggestion(for: device.address, device.packets(200) + unrelated.packets(9)))
    #expect(early.descriptor.companyIdentifier == 0x0E0E)
    let packets = device.packets(200) + changed.packets(1) + unrelated.packets(9)
    let late = try #require(Suggesting.suggestion(for: device.address, packets))
    #expect(late.descriptor.clauseText == "ffe0", "\(late.item.manifest)")
  }

  @Test("Fewer than three different reports are a guess", arguments: 1...4)
  func guess(count: Int) throws {
    let device = MadeDevice("own", "M 0eee 01 @@", wanted: "", at: 0xC4A1_0000_0001)
    let repeated = (0..<30).flatMap { _ in device.packets(count) }
    let suggestion = try #require(Suggesting.suggestion(for: device.address, repeated))
    #expect(
      suggestion.warnings.contains { $0.hasPrefix("This is a guess: ") } == (count < 3),
      "\(suggestion.warnings)")
  }

  @Test("A guess is named once; of a device that never changes nothing more is wanted", arguments: [5, 30])
  func constantFrame(count: Int) throws {
    // A counter in the scan response proves nothing about the advertisement.
    let device = MadeDevice("constant", "M 0eee 01020304", "R: S fd00 @@", wanted: "", at: 0xC4A1_0000_0001)
    let suggestion = try #require(Suggesting.suggestion(for: device.address, device.packets(count)))
    #expect(suggestion.descriptor.clauseText == "0eee")
    let guess = suggestion.warnings.filter { $0.hasPrefix("This is a guess: ") }
    #expect(guess.count == 1 && suggestion.warnings.count == 1, "\(suggestion.warnings)")
    #expect(guess[0].contains("listen until") == (count < 20), "\(guess)")
    #expect(guess[0].contains("device without readings") == (count >= 20), "\(guess)")
  }

  @Test("A company that takes turns with another before like data is the last resort, and a warning")
  func doubtful() throws {
    let device = MadeDevice("turns", "M 0eee 01 ##", "M 0fff 01 ##", wanted: "", at: 0xC4A1_0000_0001)
    let suggestion = try #require(Suggesting.suggestion(for: device.address, device.packets(20)))
    #expect(suggestion.descriptor.clauseText == "0eee")
    #expect(suggestion.warnings.contains { $0.contains("may be a reading") })
    let named = MadeDevice(
      "turns", "M 0eee 01 ## ; N Lumo", "M 0fff 01 ## ; N Lumo", wanted: "", at: 0xC4A1_0000_0001)
    #expect(Suggesting.suggestion(for: named.address, named.packets(20))?.descriptor.clauseText == "Lumo")
  }

  @Test(
    "No item is made of readings alone",
    arguments: [
      ["V #### ## ##"], ["V 0a08 ##", "V 0b08 ##"], ["N 2%.%C"], ["S 0063 01 ## aabb", "S 0062 01 ## aabb"],
      ["S 0062 01 ##", "S 0063 01 ##", "S 0062 01 ##", "S 0064 01 ##", "S 0065 01 ##"],
    ])
  func readingsAlone(frames: [String]) {
    let device = MadeDevice("readings", frames: frames, wanted: "", at: 0xC4A1_0000_0001)
    #expect(Suggesting.suggestion(for: device.address, device.packets(30)) == nil)
  }

  @Test(
    "A reading for the UUID of service data that changed once is none, with and without a name",
    arguments: [3, 30])
  func readingForTheService(count: Int) throws {
    for name in ["", " ; N Therm"] {
      let devices = ["63", "62"].map { reading in
        MadeDevice("reading", "S 00\(reading) 01 ## aabb\(name)", wanted: "", at: 0xC4A1_0000_0001)
      }
      let suggestion = Suggesting.suggestion(
        for: devices[0].address, devices[0].packets(count) + devices[1].packets(count))
      #expect(suggestion?.descriptor.clauseText == (name.isEmpty ? nil : "Therm"))
    }
  }

  @Test("A service that takes turns with another before like data is the last resort, and a warning")
  func doubtfulService() throws {
    let device = MadeDevice("turns", "S fd00 01 ##", "S fe95 01 ##", wanted: "", at: 0xC4A1_0000_0001)
    let suggestion = try #require(Suggesting.suggestion(for: device.address, device.packets(20)))
    #expect(suggestion.warnings.contains { $0.hasPrefix("This is a guess: the service may be a reading") })
  }

  @Test(
    "Of every layout the bytes and the digits of the address are left out",
    arguments: [
      (
        "U feaa ; S feaa 10 ee 03 t3 2e6c756d6f 00",
        "feaa 1000030000000000002e6c756d6f00/ff00ff000000000000ffffffffffff"
      ),
      (
        "U feaa ; S feaa 10 ee 03 T 2e6c756d6f 00",
        "feaa 100003" + zeros(12) + "2e6c756d6f00/ff00ff" + zeros(12) + "ffffffffffff"
      ),
      ("U feaa ; S feaa 10 ee 03 t 2e 00", "feaa 100003" + zeros(12) + "2e00/ff00ff" + zeros(12) + "ffff"),
      ("U feaa ; S feaa 10 ee 03 T:", "feaa 100003/ff00ff"),
      ("U feaa ; S feaa 10 ee 03 A 00", "feaa 100003" + zeros(7) + "/ff00ff" + zeros(6) + "ff"),
      (
        "M 004c 02 15 A A 01020304 #### #### c5",
        "004c 0215" + zeros(12) + "01020304/ffff" + zeros(12) + "ffffffff"
      ),
      (
        "M 0eee be ac T 01020304 #### #### c5 00",
        "0eee beac" + zeros(12) + "01020304/ffff" + zeros(12) + "ffffffff"
      ),
      (
        "U feaa ; S feaa 00 ee a 01020304 ######## ####",
        "feaa 0000" + zeros(6) + "01020304/ff00" + zeros(6) + "ffffffff"
      ),
    ])
  func layouts(frame: String, wanted: String) throws {
    let device = MadeDevice("layout", frame, wanted: wanted, at: 0xC47C_8D3B_52E1)
    let suggestion = try #require(Suggesting.suggestion(of: device, among: [device.secondUnit]))
    #expect(suggestion.descriptor.clauseText == wanted, "\(suggestion.item.manifest)")
    #expect(
      suggestion.notes.contains { $0.hasPrefix("It finds 2 devices of this kind") }, "\(suggestion.notes)")
  }

  private static func zeros(_ count: Int) -> String { String(repeating: "00", count: count) }

  @Test(
    "A name in the advertisement is preferred to what stands in the scan response alone",
    arguments: [
      (["N Lumo ; V #### 01", "R: U 180f"], "Lumo", false), (["N Lumo", "R: M 0eee 01 ##"], "Lumo", false),
      (["U 180f", "R: M 0eee 01 ##"], "180f", false), (["M 0eee 01 ##", "R: U 180f"], "0eee", false),
      (["V ####", "R: M 0eee 01 ##"], "0eee", true), (["V ####", "R: N Lumo"], "Lumo", true),
      (["V ####", "R: U ffe0"], "ffe0", true),
    ])
  func advertisementFirst(frames: [String], wanted: String, needsResponse: Bool) throws {
    let device = MadeDevice("parts", frames: frames, wanted: "", at: 0xC4A1_0000_0001)
    let unrelated = MadeDevice("unrelated", "M 0006 01 ##", wanted: "", at: 0xC4A1_0000_0002)
    let suggestion = try #require(Suggesting.suggestion(of: device, among: [unrelated]))
    #expect(suggestion.descriptor.clauseText == wanted, "\(suggestion.item.manifest)")
    let isSaid = suggestion.warnings.contains { $0.contains("stands in the scan response") }
    #expect(isSaid == needsResponse, "\(suggestion.warnings)")
  }

  @Test(
    "What repeats two bytes of the address is no part of an item",
    arguments: [
      "V a2 01 ##", "U e152", "L e0d0c0b0a0103f9c2a4d1e7bd630 a2", "S e152 01 ##", "N 2E1", "N B52E1 Lumo",
    ])
  func twoBytesOfTheAddress(field: String) throws {
    let alone = MadeDevice("alone", field, wanted: "", at: 0xC47A_9D3B_52E1)
    #expect(Suggesting.suggestion(for: alone.address, alone.packets(30)) == nil)
    // Two lists by turns would be one that changes.
    let steady = field.hasPrefix("U") ? "S ffe0 01 ##" : "U ffe0"
    let other = MadeDevice("other", field, steady, wanted: "", at: 0xC47A_9D3B_52E1)
    let text = try #require(Suggesting.suggestion(for: other.address, other.packets(30))).descriptor
      .clauseText
    #expect(text.hasPrefix("ffe0"), "\(text)")
  }

  @Test(
    "The beginning of a name never ends within digits of the address",
    arguments: [
      ["N Lumo B52E1"], ["N Lumo 2E1"], ["n Lumo 3B", "R: N Lumo 3B52E1"],
      ["n Lumo 3B:5", "N Lumo 3B:52:E1"],
      ["N Lumo 3B52E1%"], ["N Lumo E1523B"],
    ])
  func digitsOfTheAddress(frames: [String]) throws {
    let device = MadeDevice("name", frames: frames, wanted: "", at: 0xC47A_9D3B_52E1)
    let suggestion = try #require(Suggesting.suggestion(for: device.address, device.packets(30)))
    #expect(suggestion.descriptor.clauseText == "Lumo ", "\(suggestion.item.manifest)")
  }

  @Test("The service of a device that changes its format is the one that it has now")
  func reflashed() throws {
    let before = MadeDevice("before", "S fd00 01 ##", wanted: "", at: 0xC4A1_0000_0001)
    let after = MadeDevice("after", "S fd01 01 ## ##", wanted: "", at: 0xC4A1_0000_0001)
    let suggestion = try #require(
      Suggesting.suggestion(for: after.address, before.packets(30) + after.packets(3)))
    #expect(suggestion.descriptor.clauseText == "fd01")
  }

  @Test("Serial numbers in the names of other units are left out")
  func serials() throws {
    let device = MadeDevice("one", "M 0eee ## ; N Lumo-0815", wanted: "", at: 0xC4A1_0000_0001)
    let unit = MadeDevice("two", "M 0eee ## ; N Lumo-4711", wanted: "", at: 0xC4A1_0000_0002)
    let plug = MadeDevice("plug", "M 0eee ## ; N Plug-4711", wanted: "", at: 0xC4A1_0000_0003)
    let suggestion = try #require(Suggesting.suggestion(of: device, among: [unit, plug]))
    #expect(suggestion.descriptor.clauseText == "0eee Lumo-", "\(suggestion.item.manifest)")
    #expect(suggestion.notes.contains { $0.contains("1 of the") } == false)
    #expect(suggestion.warnings.isEmpty, "\(suggestion.warnings)")
  }
}
