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
    Pair(
      "BTHome with a serial number", "S fcd2 40 00 @@ 02 #### ; N SN12345",
      "S fcd2 40 00 @@ 02 #### ; N SN99887", wanted: "fcd2 40/e0"),
    Pair(
      "BTHome with a name and a serial number", "S fcd2 40 00 @@ 02 #### ; N Lumo-12345",
      "S fcd2 40 00 @@ 02 #### ; N Lumo-99887", wanted: "fcd2 40/e0 Lumo-"),
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

  @Test("The item finds another unit that differs in its serial number", arguments: serials + words + keys)
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
      Pair("names alone that share too little", "N SN12345", "N SN99887", wanted: "SN12345"),
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
