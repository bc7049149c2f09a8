// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Testing

@Suite("Masked bytes")
struct MaskedBytesTests {
  @Test("Without a mask every bit counts")
  func wholeMask() {
    #expect(MaskedBytes(blob: [0xA5, 0x5A]).mask == [0xFF, 0xFF])
    #expect(MaskedBytes(blob: [0xA5, 0x5A]).maskBitCount == 16)
  }

  @Test("A mask of another length is refused")
  func lengths() {
    #expect(MaskedBytes(blob: [1, 2], mask: [0xFF]) == nil)
    #expect(MaskedBytes(blob: [1], mask: [0xFF, 0xFF]) == nil)
    #expect(MaskedBytes(blob: [1, 2], mask: [0xFF, 0]) != nil)
  }

  @Test("Two are compatible unless they ask one bit for two values")
  func compatibility() throws {
    let high = try #require(MaskedBytes(blob: [0xA5, 0x00], mask: [0xFF, 0x00]))
    let low = try #require(MaskedBytes(blob: [0x00, 0x5A], mask: [0x00, 0xFF]))
    #expect(high.isCompatible(with: low))
    #expect(high.isCompatible(with: MaskedBytes(blob: [0xA5])))
    #expect(!high.isCompatible(with: MaskedBytes(blob: [0xA4])))
  }
}
