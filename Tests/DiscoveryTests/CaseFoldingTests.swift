// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing

@testable import Discovery

@Suite("Case folding")
struct CaseFoldingTests {
  private func matches(_ name: [UInt8], _ substring: String, _ options: NameOptions) -> Bool {
    NameClause.matches(name.span.rawBytes, Array(substring.utf8).span.rawBytes, options)
  }

  @Test(
    "Scalars of every kind of range fold as CaseFolding.txt says",
    arguments: [
      (0x41, 0x61), (0x5A, 0x7A), (0x40, 0x40), (0x5B, 0x5B), (0x61, 0x61),  // A, Z and their neighbours
      (0xB5, 0x3BC),  // MICRO SIGN to Greek mu
      (0xC0, 0xE0), (0xD7, 0xD7), (0xDE, 0xFE),  // the multiplication sign has no case
      (0xDF, 0xDF),  // SHARP S folds only to two letters, which simple folding leaves out
      (0x1E9E, 0xDF),  // CAPITAL SHARP S has a simple folding
      (0x100, 0x101), (0x101, 0x101), (0x12E, 0x12F), (0x130, 0x130), (0x131, 0x131),  // dotted and dotless i
      (0x178, 0xFF), (0x17F, 0x73),  // long s
      (0x391, 0x3B1), (0x3A3, 0x3C3), (0x3C2, 0x3C3),  // both sigmas
      (0x410, 0x430), (0x13A0, 0x13A0), (0x13F8, 0x13F0), (0xAB70, 0x13A0),  // Cherokee folds upwards
      (0x212A, 0x6B), (0x212B, 0xE5), (0x2126, 0x3C9),  // Kelvin, Angstrom, Ohm
      (0x2160, 0x2170), (0x24B6, 0x24D0), (0xFF21, 0xFF41),
      (0x10400, 0x10428), (0x1E900, 0x1E922), (0x10FFFF, 0x10FFFF), (0x110041, 0x110041),
    ] as [(UInt32, UInt32)])
  func foldings(scalar: UInt32, folded: UInt32) { #expect(CaseFolding.fold(scalar) == folded) }

  @Test("Folding twice is folding once, for every scalar that has a case")
  func idempotent() {
    for scalar: UInt32 in 0..<0x1_F000 {
      let once = CaseFolding.fold(scalar)
      if CaseFolding.fold(once) != once { Issue.record("\(scalar) folds to \(once), which folds on") }
    }
  }

  /// The standard library knows a newer Unicode than the table's 15; scalars that came later fold to themselves.
  @Test("Letters fold together with their lowercase, as the standard library knows it")
  func standardLibrary() {
    var compared = 0
    for value: UInt32 in 0..<0x1_F000 {
      guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenLowercased else { continue }
      let lower = scalar.properties.lowercaseMapping.unicodeScalars
      guard lower.count == 1, let first = lower.first, scalar.properties.age?.major ?? 0 <= 15 else {
        continue
      }
      compared += 1
      if CaseFolding.fold(value) != CaseFolding.fold(first.value) {
        Issue.record("\(value) and its lowercase \(first.value) fold apart")
      }
    }
    #expect(compared > 1300)
  }

  @Test("The Kelvin sign equals k, a sharp s equals only its capital")
  func names() {
    let options = NameOptions.caseInsensitive
    #expect(matches(Array("300 \u{212A}".utf8), "300 k", options))
    #expect(matches(Array("300 k".utf8), "300 \u{212A}", options))
    #expect(matches(Array("STRA\u{1E9E}E".utf8), "straße", options))
    #expect(!matches(Array("STRASSE".utf8), "straße", options))
    #expect(!matches(Array("300 \u{212A}".utf8), "300 k", .none))
  }

  @Test("Folded ends are found although upper and lower case have different lengths")
  func lengths() {
    // The Kelvin sign has three bytes, k one.
    let suffix = NameOptions.caseInsensitive.union(.anchored).union(.backwards)
    #expect(matches(Array("zero \u{212A}".utf8), "O K", suffix))
    #expect(!matches(Array("zero \u{212A}.".utf8), "O K", suffix))
    let prefix = NameOptions.caseInsensitive.union(.anchored)
    #expect(matches(Array("\u{212A}elvin".utf8), "KEL", prefix))
  }

  @Test("An ill-formed byte matches nothing but itself and does not hide what follows")
  func illFormed() {
    let options = NameOptions.caseInsensitive
    #expect(matches([0xE2, 0x84, 0x4C, 0x55], "lu", options))  // a sequence cut short
    #expect(matches([0xFF, 0x4C, 0x55], "lu", options))
    #expect(matches([0x80, 0x4C, 0x55], "lu", options))  // a lone continuation byte
    #expect(!matches([0xC1, 0x8B], "k", options))  // an overlong K
    #expect(!matches([0xE0, 0x81, 0x8B], "k", options))
    #expect(!matches([0xED, 0xA0, 0x80], "\u{FFFD}", options))  // a surrogate
    #expect(!matches([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}", options))  // over 10FFFF
    #expect(!matches([], "k", options))
  }
}
