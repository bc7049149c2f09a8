// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import ManifestEdits
import Suggestions
import TestSupport
import Testing

@Suite("Items for frames that take turns under one address")
struct TurningFrameTests {
  private static let first = "L 000102030405060708090a0b0c0d0e0f"
  private static let second = "L 32333435363738393a3b3c3d3e3f4041"

  private static func device(_ frames: [String]) -> MadeDevice {
    MadeDevice("turns", frames: frames, wanted: "", at: 0xC47A_9D3B_52E1)
  }

  @Test(
    "A frame that stays the same is worth an item, and the item says that it is a guess",
    arguments: [
      (["U 181a", "U 180f"], "181a"), (["U 181a", "U 180f", "U 180a"], "181a"),
      ([first, second], "0f0e0d0c-0b0a-0908-0706-050403020100"),
      (["M 0eee 01 02", "M 0eef 11 22"], "0eee"), (["M 0eee 01 02", "M 0eef 01 02"], "0eee"),
      (["S fd00 01", "S fd01 01"], "fd00"),
      (["M 0eee 01 @@", "V #### 05 06"], "0eee"), (["V #### 05 06", "V #### 05 06", "M 0eee 01 @@"], "0eee"),
      (["S 0eee 01 ##", "S fd10 01 ##"], "0eee"),
      (["U 180f", "L e0d0c0b0a0103f9c ########"], "180f"),
    ])
  func kept(frames: [String], wanted: String) throws {
    let device = Self.device(frames)
    let suggestion = try #require(Suggesting.suggestion(of: device, among: []))
    #expect(suggestion.descriptor.clauseText == wanted, "\(suggestion.item.manifest)")
    #expect(suggestion.warnings.contains { $0.hasPrefix("This is a guess: ") }, "\(suggestion.warnings)")
    #expect(try Suggesting.run(suggestion, device.packets(60)) == .init(found: 1, lost: 0))
  }

  @Test("A second unit of the kind is found by what takes turns")
  func units() throws {
    for frames in [
      [Self.first, Self.second], ["M 0eee 01 02", "M 0eef 01 02"], ["M 0eee 01 @@", "V #### 05 06"],
    ] {
      let device = Self.device(frames)
      let suggestion = try #require(Suggesting.suggestion(of: device, among: [device.secondUnit]))
      #expect(
        suggestion.notes.contains { $0.hasPrefix("It finds 2 devices of this kind") }, "\(suggestion.notes)")
    }
  }

  @Test(
    "A name of one or two letters is worth an item where nothing else lasts",
    arguments: [("N AB", "AB"), ("N S", "S"), ("N T 2%.%C", "T "), ("V #### 01 ; N AB", "AB")])
  func shortNames(frame: String, wanted: String) throws {
    let device = Self.device([frame])
    let suggestion = try #require(Suggesting.suggestion(of: device, among: [device.secondUnit]))
    #expect(suggestion.descriptor.clauseText == wanted, "\(suggestion.item.manifest)")
    let warning = "The item asks only for a name that begins with \(wanted.count) character"
    #expect(suggestion.warnings.contains { $0.hasPrefix(warning) }, "\(suggestion.warnings)")
    for unit in [device, device.secondUnit] {
      #expect(try Suggesting.run(suggestion, unit.packets(60)) == .init(found: 1, lost: 0))
    }
  }

  @Test(
    "Readings that come back make no item",
    arguments: [
      ["V 0a08 ##", "V 0b08 ##"], ["V 0a08 01", "V 0b08 01", "V 0c08 01"], ["S 0062 01 ##", "S 0063 01 ##"],
    ])
  func readings(frames: [String]) {
    let device = Self.device(frames)
    #expect(Suggesting.suggestion(of: device, among: []) == nil)
  }
}
