// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
import Interfaces
import JSON
import Testing
@testable import ToolText

@Suite struct TextFormTests {
  @Test func addressesAreWrittenMostSignificantByteFirst() {
    #expect(DeviceAddress(bits: 0x00A0_5012_34FF, type: .public).text == "00:A0:50:12:34:FF")
    #expect(DeviceAddress(bits: 0, type: .anonymous).text == nil)
  }

  @Test func uuidsTakeTheirShortestForm() {
    #expect(BluetoothUUID(short: 0x180F).text == "180f")
    #expect(BluetoothUUID(short: 0x0001_180F).text == "0001180f")
    #expect(
      BluetoothUUID(high: 0x7B1F_0001_3A52_4C8E, low: 0x9D60_2F4E_8A6C_1B05).text
        == "7b1f0001-3a52-4c8e-9d60-2f4e8a6c1b05")
  }

  @Test(
    arguments: [
      (0, "0.000000"), (1, "0.000001"), (-1, "-0.000001"), (1_000_000, "1.000000"),
      (12_345_678, "12.345678"), (-1_500_000, "-1.500000"),
      (.max, "9223372036854.775807"), (.min, "-9223372036854.775808"),
    ] as [(Int64, String)])
  func secondsHaveSixDecimals(microseconds: Int64, expected: String) {
    var json = JSONWriter()
    json.line { $0.member("t", Seconds(microseconds: microseconds)) }
    #expect(json.takeBytes() == Array("{\"t\":\(expected)}\n".utf8))
  }

  @Test(arguments: [
    (0, "0.0000", "0.0"), (1, "0.0625", "0.1"), (-1, "-0.0625", "-0.1"), (-703, "-43.9375", "-43.9"),
    (-800, "-50.0000", "-50.0"), (24, "1.5000", "1.5"), (-905, "-56.5625", "-56.6"), (4, "0.2500", "0.3"),
    (-4, "-0.2500", "-0.2"), (-719, "-44.9375", "-44.9"), (159, "9.9375", "9.9"), (-15, "-0.9375", "-0.9"),
  ])
  func sixteenthsOfADecibelAreExact(sixteenths: Int, exact: String, short: String) {
    #expect(Decibels(sixteenths: sixteenths).text == exact)
    #expect(Decibels(sixteenths: sixteenths).shortText == short)
  }

  @Test func rowsAreFoldedAtBlanksAndLongDigitsAnywhere() {
    var rows = TextRows(indent: 10, labelColumnCount: 10, .plain)
    rows.row("words", (0..<20).map { _ in "12345" })
    rows.row("digits", String(repeating: "ab", count: 100))
    rows.row("wide", [String(repeating: "灯", count: 20), String(repeating: "灯", count: 20)])
    let lines = rows.text.split(separator: "\n")
    #expect(lines.allSatisfy { String($0).columnCount <= 80 })
    #expect(lines.count == 2 + 4 + 2)
    #expect(rows.text.filter { $0 == "a" }.count == 100)
  }

  @Test(
    "The last column of a table begins on a line of its own where the terminal is too narrow",
    arguments: [40, 45, 50, 55, 58, 59, 60, 80, 200])
  func lastColumn(columnsMax: Int) {
    let start = String(repeating: "x", count: 45) + "  "
    let words = ["t/i:", "found", "5", "times,", "first", "3.388–13.130", "s"]
    let style = TextStyle(isColored: false, columnsMax: columnsMax)
    let lines = style.tableLine(start, words, at: 47).split(separator: "\n").map(String.init)
    #expect(lines.dropFirst().allSatisfy { $0.columnCount <= columnsMax }, "\(lines)")
    #expect((lines[0] == start.dropLast(2)) == (columnsMax < 59), "\(lines)")
    #expect(
      lines.dropFirst().allSatisfy { $0.hasPrefix(String(repeating: " ", count: columnsMax < 59 ? 4 : 47)) })
    #expect(lines.joined(separator: " ").split(separator: " ").dropFirst().map(String.init) == words)
  }

  @Test("A word that fits no column does not move the others, and without a terminal nothing moves")
  func wideWord() {
    let wide = String(repeating: "ab", count: 60)
    for style in [TextStyle(isColored: false, columnsMax: 80), .plain] {
      #expect(style.tableLine("x  ", ["one", wide], at: 3).hasPrefix("x  one\n   abab"))
    }
    #expect(TextStyle.plain.tableLine("x", ["one"], at: 75).hasPrefix("x"))
  }

  @Test(arguments: [(nil, 80), (120, 120), (50, 50), (20, 40)])
  func rowsAreAsWideAsTheTerminal(columnsMax: Int?, widest: Int) {
    var rows = TextRows(
      indent: 0, labelColumnCount: 10, TextStyle(isColored: false, columnsMax: columnsMax))
    rows.row("digits", String(repeating: "ab", count: 100))
    #expect(rows.text.split(separator: "\n").map(\.count).max() == widest)
  }

  @Test("An address is read as ether_ntoa prints it, and in other spellings")
  func spellings() {
    for text in ["c4:a1:0:0:3b:9d", "C4-A1-00-00-3B-9D", "0xC4A100003B9D"] {
      #expect(AddressText.bitsInAnySpelling(text) == 0xC4A1_0000_3B9D)
    }
    #expect(AddressText.bitsInAnySpelling("c4:a1::0:3b:9d") == nil)
  }
}
