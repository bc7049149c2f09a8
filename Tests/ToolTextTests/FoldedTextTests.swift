// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import ToolText

@Suite("Text for a terminal")
struct FoldedTextTests {
  @Test("A sentence is folded at blanks, and what follows stands in")
  func sentence() {
    #expect("accessoryctl: no agent is there".foldedLines(to: 20) == "accessoryctl: no\n  agent is there")
    #expect("   one two three\n".foldedLines(to: 10) == "   one two\n   three\n")
    #expect("short\n\n".foldedLines(to: 5) == "short\n\n")
  }

  @Test("A word that is too long stays whole, and blanks between columns stay")
  func words() {
    #expect("a /run/accessoryd/socket b".foldedLines(to: 10) == "a\n  /run/accessoryd/socket\n  b")
    #expect("a    b    c".foldedLines(to: 8) == "a    b\n  c")
  }

  @Test("The comments of a manifest fit a narrow terminal and stay comments, and its keys stay whole")
  func comments() {
    let manifest = """
      # From 20 reports of C4:A1:00:00:00:01. It sends
      # every second.
      # Warning: The name repeats part of the address.
      descriptor.bluetooth-company-identifier = "0x0EEE"

      """
    let narrow = manifest.refilledComments(to: 30)
    #expect(
      narrow == """
        # From 20 reports of
        # C4:A1:00:00:00:01. It sends
        # every second.
        # Warning: The name repeats
        # part of the address.
        descriptor.bluetooth-company-identifier = "0x0EEE"

        """)
    #expect(narrow.refilledComments(to: 50) == manifest)
  }

  @Test("Colour takes no columns, and wide characters take two")
  func columns() {
    let colored = "\u{1B}[32myes\u{1B}[0m it is"
    #expect(colored.foldedLines(to: 9) == colored)
    #expect("厨房 灯 a".foldedLines(to: 7) == "厨房 灯\n  a")
  }

  @Test("No line is wider than the terminal, unless it is one word", arguments: [1, 2, 10, 40, 80])
  func widths(columnsMax: Int) {
    let text =
      "  no   device in sight calls itself \"Lumo\"; accessoryctl sightings --all lists what is in sight\n"
    let folded = text.foldedLines(to: columnsMax)
    for line in folded.split(separator: "\n") {
      #expect(line.columnCount <= columnsMax || line.split(separator: " ").count == 1, "\(line)")
    }
    #expect(folded.split { " \n".contains($0) } == text.split { " \n".contains($0) })
  }
}
