// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Testing

@Suite struct AirTextTests {
  /// Ill-formed sequences of Unicode 15.0, 3.9, tables 3-8 to 3-11, and what stands for them.
  private static let illFormed: [([UInt8], String)] = [
    ([0x61, 0xF1, 0x80, 0x80, 0xE1, 0x80, 0xC2, 0x62, 0x80, 0x63, 0x80, 0xBF, 0x64], "a���b�c��d"),
    ([0xC0, 0xAF, 0xE0, 0x80, 0xBF, 0xF0, 0x81, 0x82, 0x41], "��������A"),
    ([0xED, 0xA0, 0x80, 0xED, 0xBF, 0xBF, 0xED, 0xAF, 0x41], "��������A"),
    ([0xF4, 0x91, 0x92, 0x93, 0xFF, 0x41, 0x80, 0xBF, 0x42], "�����A��B"),
    ([0xE1, 0x80, 0xE2, 0xF0, 0x91, 0x92, 0xF1, 0xBF, 0x41], "����A"),
    ([0xE2, 0x82], "�"),
  ]

  @Test(arguments: illFormed)
  func eachIllFormedPartBecomesOneReplacementCharacter(bytes: [UInt8], expected: String) {
    let text = AirText(bytes)
    #expect(text.repaired == expected)
    #expect(!text.isWellFormed)
  }

  @Test func theBytesStandBesideTextThatWasAltered() {
    var json = JSONWriter()
    json.line { $0.member("name", AirText([0x41, 0xFF, 0x42])) }
    json.line { $0.member("name", AirText(Array("AB".utf8))) }
    // A replacement character that was sent is not an alteration.
    json.line { $0.member("name", AirText([0xEF, 0xBF, 0xBD])) }
    let expected = """
      {"name":"A�B","nameHex":"41ff42"}
      {"name":"AB"}
      {"name":"�"}

      """
    #expect(String(decoding: json.takeBytes(), as: UTF8.self) == expected)
  }

  @Test(arguments: [
    ("Lumo bulb", #""Lumo bulb""#),
    ("", #""""#),
    ("\u{1B}[31mred", #""\u{1B}[31mred""#),
    ("\u{9B}2J\u{7F}", #""\u{9B}2J\u{7F}""#),
    ("two\nlines\r\u{85}\u{2028}\u{2029}", #""two\u{A}lines\u{D}\u{85}\u{2028}\u{2029}""#),
    ("\u{202E}txt.exe", #""\u{202E}txt.exe""#),
    ("a\u{200E}\u{200F}\u{61C}\u{2066}\u{2069}", #""a\u{200E}\u{200F}\u{61C}\u{2066}\u{2069}""#),
    ("zero\u{200B}width\u{FEFF}\u{AD}\u{3164}", #""zero\u{200B}width\u{FEFF}\u{AD}\u{3164}""#),
    ("private \u{E000}", #""private \u{E000}""#),
    (#"a "quoted" \u{41}"#, #""a \"quoted\" \\u{41}""#),
    ("grün 灯 💡", #""grün 灯 💡""#),
    ("\u{301}a", #""\u{301}a""#),
    ("e\u{301}\u{302}\u{303}", "\"e\u{301}\u{302}\\u{303}\""),
  ])
  func whatCouldDeceiveIsEscaped(text: String, expected: String) {
    #expect(AirText(Array(text.utf8)).terminal() == expected)
  }

  @Test func illFormedBytesAreShownAsBytes() {
    #expect(AirText([0x41, 0xE2, 0x82, 0x42, 0xFF]).terminal() == #""A\xE2\x82B\xFF""#)
  }

  @Test func longTextIsCutAtTheLastColumn() {
    #expect(escaped(String(repeating: "x", count: 64)) == String(repeating: "x", count: 64))
    #expect(escaped(String(repeating: "x", count: 65)) == String(repeating: "x", count: 63) + "…")
  }

  @Test func wideCharactersTakeTwoColumns() {
    #expect(escaped(String(repeating: "灯", count: 32)) == String(repeating: "灯", count: 32))
    #expect(escaped(String(repeating: "灯", count: 33)) == String(repeating: "灯", count: 31) + "…")
    #expect(escaped("x" + String(repeating: "💡", count: 32)) == "x" + String(repeating: "💡", count: 31) + "…")
  }

  @Test func anEscapeIsNotTornApart() {
    let text = String(repeating: "x", count: 60) + "\u{1B}y"
    #expect(escaped(text) == String(repeating: "x", count: 60) + "…")
  }

  @Test func marksCannotPileUp() {
    let text = "a" + String(repeating: "\u{301}", count: 500)
    #expect(escaped(text).unicodeScalars.count < 80)
  }

  @Test func everyShortTextStaysPrintable() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let shown = AirText([first, second, 0x41]).terminal()
        #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
      }
    }
  }

  private func escaped(_ text: String) -> String { AirText(Array(text.utf8)).escaped() }
}
