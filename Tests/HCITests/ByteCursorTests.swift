// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("The byte cursor")
struct ByteCursorTests {
  let octets = hex("01 0302 07060504 AABBCC")

  @Test("Reads values of every width, least significant octet first")
  func widths() {
    var cursor = ByteCursor(octets.rawSpan)
    #expect(cursor.uint8() == 0x01)
    #expect(cursor.uint16() == 0x0203)
    #expect(cursor.uint32() == 0x0405_0607)
    #expect(cursor.position == 7)
    #expect(cursor.remaining == 3)
  }

  @Test("Lends a run of octets and steps over it")
  func run() throws {
    var cursor = ByteCursor(octets.rawSpan)
    let first = cursor.span(3)?.octets
    #expect(first == hex("01 03 02"))
    let none = cursor.span(0)?.octets
    #expect(none == [])
    let rest = cursor.rest().octets
    #expect(rest == hex("07 06 05 04 AA BB CC"))
    #expect(cursor.remaining == 0)
  }

  @Test("A read past the end answers nil and consumes nothing", arguments: 0..<16)
  func pastEnd(byteCount: Int) {
    let octets = [UInt8](repeating: 0xFF, count: byteCount)
    var cursor = ByteCursor(octets.rawSpan)
    if byteCount < 1 { #expect(cursor.uint8() == nil) }
    if byteCount < 2 { #expect(cursor.uint16() == nil) }
    if byteCount < 4 { #expect(cursor.uint32() == nil) }
    let long = cursor.span(byteCount + 1)?.octets
    #expect(long == nil)
    let negative = cursor.span(-1)?.octets
    #expect(negative == nil)
    let huge = cursor.span(.max)?.octets
    #expect(huge == nil)
    #expect(cursor.position == 0)
    let all = cursor.span(byteCount)?.octets
    #expect(all == octets)
  }
}
