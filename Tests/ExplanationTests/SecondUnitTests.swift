// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
import Manifest
import ManifestEdits
import Suggestions
import TestSupport
import Testing

/// An item finds a second unit of the device's kind, or the warning names it.
@Suite struct SecondUnitTests {
  /// What the two units send, and the clauses that find both.
  struct Pair: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let first: MadeDevice
    let second: MadeDevice
    let wanted: String

    init(_ title: String, _ first: [String], _ second: [String], wanted: String) {
      testDescription = title
      self.wanted = wanted
      self.first = MadeDevice("first", frames: first, wanted: wanted, at: 0xC47A_9D3B_52E1)
      self.second = MadeDevice("second", frames: second, wanted: wanted, at: 0xC47A_9D11_0F26)
    }

    init(_ title: String, _ first: String, _ second: String, wanted: String) {
      self.init(title, [first], [second], wanted: wanted)
    }

    func suggestion() throws -> Suggestion {
      let unrelated = MadeDevice("unrelated", "M 0006 01 09 ####", wanted: "", at: 0xA0B1_C2D3_E4F5)
      return try #require(Suggesting.suggestion(of: first, among: [second, unrelated]))
    }
  }

  private static let serials = [
    Pair("a serial number after letters", "M 0eee ## ; N SN12345", "M 0eee ## ; N SN99887", wanted: "0eee"),
    Pair("one that begins alike", "M 0eee ## ; N SN12345", "M 0eee ## ; N SN12387", wanted: "0eee"),
    Pair(
      "a serial number before a name", "M 0eee ## ; N 12345-Lumo", "M 0eee ## ; N 98765-Lumo", wanted: "0eee"),
    Pair(
      "a serial number in the scan response", ["M 0eee ##", "R: N SN12345"], ["M 0eee ##", "R: N SN99887"],
      wanted: "0eee"),
    Pair("a serial number in a name alone", "N Lumo12345", "N Lumo9988", wanted: "Lumo"),
    Pair("one after two letters", "N SN12345", "N SN99887", wanted: "SN"),
    Pair(
      "one that begins alike after two letters", "V #### 11 ; N TH0012", "V #### 11 ; N TH0050", wanted: "TH"),
    Pair("one after a letter and a blank", "N S 0012", "N S 0050", wanted: "S "),
    Pair("hexadecimal digits in a name alone", "N Lumo12A4", "N Lumo07FF", wanted: "Lumo"),
    Pair("hexadecimal digits that begin alike", "N lumo0c1b", "N lumo0c2a", wanted: "lumo"),
    Pair(
      "a short name in turn with a serial number", ["N AB", "M ad9e @@ 070c11"],
      ["N AB", "M ad9e @@ 2230aa"], wanted: "ad9e"),
    Pair(
      "a byte of the address as the only service data of a second frame", ["V @@ 01 A 0102", "S fe95 e1"],
      ["V @@ 01 A 0102", "S fe95 26"], wanted: "fe95"),
    Pair(
      "BTHome with a serial number", "S fcd2 40 00 @@ 02 #### ; N SN12345",
      "S fcd2 40 00 @@ 02 #### ; N SN99887", wanted: "fcd2 40/e0"),
    Pair(
      "BTHome with a name and a serial number", "S fcd2 40 00 @@ 02 #### ; N Lumo-12345",
      "S fcd2 40 00 @@ 02 #### ; N Lumo-99887", wanted: "fcd2 40/e0 Lumo-"),
  ]

  /// What looks like a published layout by accident.
  private static let accidents = [
    Pair("a serial number before Eddystone's service", "S feaa 02", "S feaa 77", wanted: "feaa"),
    Pair("Eddystone's service with a reading", "S feaa ## 01", "S feaa ## 01", wanted: "feaa"),
    Pair("a serial number for BTHome's version", "S fcd2 40 01 ##", "S fcd2 e7 02 ##", wanted: "fcd2"),
    Pair("no version of BTHome", "S fcd2 e4 01 ##", "S fcd2 e4 01 ##", wanted: "fcd2"),
    Pair(
      "a serial number for Xiaomi's product", "S fe95 4050 3344 ##", "S fe95 4087 5566 ##", wanted: "fe95"),
  ]

  private static let words = [
    Pair(
      "BTHome with a name of the owner", "S fcd2 40 00 @@ 02 #### ; N Living",
      "S fcd2 40 00 @@ 02 #### ; N Garden", wanted: "fcd2 40/e0"),
    Pair("a service with a name of the owner", "U ffe0 ; N Kitchen", "U ffe0 ; N Garden", wanted: "ffe0"),
  ]

  private static let keys = [
    Pair(
      "a company for each unit, and a name that ends in a capital", "M 2211 ## ; N SensorX",
      "M 4433 ## ; N SensorY", wanted: "Sensor"),
    Pair("a company for each unit", "M 2211 ## ; N Lumo", "M 4433 ## ; N Lumo", wanted: "Lumo"),
    Pair(
      "a company for each unit and a name in the scan response", ["M 2211 ##", "R: N Lumo"],
      ["M 4433 ##", "R: N Lumo"], wanted: "Lumo"),
    Pair("a service for each unit", "U fe11 ; N Lumo", "U fe22 ; N Lumo", wanted: "Lumo"),
    Pair(
      "a company for each unit beside a service", "M 2211 ## ; U fe11", "M 4433 ## ; U fe11", wanted: "fe11"),
    Pair(
      "an assigned company for each unit beside a service", "M 0eee ## ; U fe11", "M 0fff ## ; U fe11",
      wanted: "fe11"),
  ]

  @Test(
    "The item finds another unit that differs in its serial number",
    arguments: serials + accidents + words + keys)
  func found(pair: Pair) throws {
    let suggestion = try pair.suggestion()
    #expect(suggestion.descriptor.clauseText == pair.wanted, "\(suggestion.item.manifest)")
    let found = "It finds 2 devices of this kind in sight: this one and \(pair.second.address.text ?? "")"
    #expect(suggestion.notes.contains { $0.hasPrefix(found) }, "\(suggestion.notes)")
    #expect(!suggestion.warnings.contains { $0.contains("of the same kind") }, "\(suggestion.warnings)")
    for device in [pair.first, pair.second] {
      #expect(try Suggesting.run(suggestion, device.packets(60)) == .init(found: 1, lost: 0))
    }
  }

  @Test(
    "A device that may be another unit is named where the item misses it",
    arguments: [
      Pair("names alone that share nothing", "N 12345", "N 99887", wanted: "12345"),
      Pair(
        "names that begin alike", "M 2211 ## ; N SensorTop", "M 4433 ## ; N SensorLow", wanted: "2211"),
      Pair(
        "words beside other headers", "M 0eee 01 ## ; N Kitchen", "M 0eee 02 ## ; N Garden", wanted: "0eee 01"
      ),
    ])
  func named(pair: Pair) throws {
    let suggestion = try pair.suggestion()
    #expect(suggestion.descriptor.clauseText == pair.wanted, "\(suggestion.item.manifest)")
    #expect(
      suggestion.warnings.contains {
        $0.hasPrefix(
          "The item does not find 1 device in sight that may be of the same kind: C4:7A:9D:11:0F:26")
      }, "\(suggestion.warnings)")
  }

  @Test(
    "What names begin with to the letter is asked for where another device has a name like the short beginning"
  )
  func literalBeginning() throws {
    let pair = Pair("", "N T0012-X", "N T0050-X", wanted: "")
    let thing = MadeDevice("thing", "N Thing", wanted: "", at: 0xA0B1_C2D3_E4F5)
    let suggestion = try #require(Suggesting.suggestion(of: pair.first, among: [pair.second, thing]))
    #expect(suggestion.descriptor.clauseText == "T00", "\(suggestion.item.manifest)")
  }

  @Test("Two companies beside one service may be two makers', and the warning says so")
  func makers() throws {
    for (company, isOther) in [("0fff", true), ("4433", true), ("0eee", false)] {
      let pair = Pair("", "M 0eee ## ; U fe11", "M \(company) ## ; U fe11", wanted: "")
      let suggestion = try pair.suggestion()
      let warning = "Of the devices that it finds, 1 device may be another maker's"
      #expect(
        suggestion.warnings.contains { $0.hasPrefix(warning) } == isOther, "\(suggestion.warnings)")
    }
  }

  @Test(
    "Names of what may be two models stay apart, with a warning",
    arguments: [
      Pair(
        "a model before the address", "M 0eee ## ; N Lumo5075_~", "M 0eee ## ; N Lumo5102_~",
        wanted: "0eee Lumo5075_"),
      Pair("two words", "M 0eee ## ; N Lumo bulb", "M 0eee ## ; N Lumo plug", wanted: "0eee Lumo bulb"),
      Pair(
        "a model and a serial number", "M 0eee ## ; N Lumo2-0815", "M 0eee ## ; N Lumo3-4711",
        wanted: "0eee Lumo2-0815"),
    ])
  func models(pair: Pair) throws {
    let suggestion = try pair.suggestion()
    #expect(suggestion.descriptor.clauseText == pair.wanted, "\(suggestion.item.manifest)")
    #expect(suggestion.warnings.contains { $0.contains("may be of the same kind") }, "\(suggestion.warnings)")
  }
}
