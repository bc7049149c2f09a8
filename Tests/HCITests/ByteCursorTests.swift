// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("The byte cursor")
struct ByteCursorTests {
  @Test("It reads a layout from top to bottom")
  func topToBottom() {
    let bytes = hex("01 FF 34 12 78 56 34 12 66 55 44 33 22 11 08 07 06 05 04 03 02 01 00 00 00 2A AA BB CC")
    var cursor = ByteCursor(bytes.rawSpan)
    let numbers: [Int?] = [
      cursor.uint8().map(Int.init), cursor.int8().map(Int.init), cursor.uint16().map(Int.init),
      cursor.uint32().map(Int.init), cursor.uint48().map(Int.init), cursor.uint64().map(Int.init),
      cursor.bigEndianUInt32().map(Int.init),
    ]
    let offset = cursor.offset
    let isSkipped = cursor.skip(1)
    let data = cursor.bytes(2)?.bytes
    let none = cursor.uint8()
    #expect(
      numbers == [1, -1, 0x1234, 0x1234_5678, 0x1122_3344_5566, 0x0102_0304_0506_0708, 42])
    #expect(offset == 26 && isSkipped && data == [0xBB, 0xCC] && none == nil)
  }

  @Test("A read that finds too few bytes consumes none", arguments: 0..<8)
  func truncated(byteCount: Int) {
    let bytes = [UInt8](repeating: 7, count: byteCount)
    var cursor = ByteCursor(bytes.rawSpan)
    let isRead = [
      cursor.uint64() != nil, cursor.bigEndianUInt64() != nil,
      byteCount < 6 && cursor.uint48() != nil, byteCount < 4 && cursor.uint32() != nil,
      byteCount < 4 && cursor.bigEndianUInt32() != nil, byteCount < 2 && cursor.uint16() != nil,
      byteCount < 1 && cursor.uint8() != nil, byteCount < 1 && cursor.int8() != nil,
      cursor.skip(byteCount + 1), cursor.skip(-1),
    ]
    let offset = cursor.offset
    let rest = cursor.rest.byteCount
    cursor.skipToEnd()
    let end = cursor.offset
    #expect(!isRead.contains(true))
    #expect(offset == 0 && rest == byteCount && end == byteCount)
  }
}
