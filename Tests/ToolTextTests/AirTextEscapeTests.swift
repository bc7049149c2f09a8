// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Testing
import ToolText

@Suite("Escapes in text of the air")
struct AirTextEscapeTests {
  @Test(
    arguments: [
      [], [0x41, 0xFF, 0x42], [0x00, 0x1B, 0x22, 0x5C, 0x5C, 0x75],
      Array("灯 \u{202E}\u{301}\u{301}\u{301}".utf8),
      Array(#"\x41 \u{41} \u{110000} \ "\"#.utf8), Array("\"\u{301}".utf8),
    ] as [[UInt8]])
  func whatWasEscapedIsReadBack(bytes: [UInt8]) {
    #expect(AirText(escaped: AirText(bytes).escaped(columnsMax: 1000)).bytes == bytes)
  }

  @Test(arguments: [
    ("Cam-1", "Cam-1"), (#"a\b"#, #"a\b"#), (#"\x4"#, #"\x4"#), (#"\xGG"#, #"\xGG"#),
    (#"\u{D800}"#, #"\u{D800}"#),
    (#"\x43\u{61}m"#, "Cam"), (#"\"#, #"\"#), (#"\u{"#, #"\u{"#),
  ])
  func whatIsNoEscapeIsTextAsItStands(text: String, expected: String) {
    #expect(AirText(escaped: text).bytes == Array(expected.utf8))
  }
}
