// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("Loads from raw bytes")
struct RawSpanLoadsTests {
  let bytes = (1...24).map(UInt8.init)

  /// The little-endian number of `count` bytes from `offset` on, the slow way; bytes past the end are zero.
  func number(_ count: Int, at offset: Int, of bytes: [UInt8]) -> UInt64 {
    (0..<count).reduce(0) { sum, index in
      let byte = offset + index < bytes.count ? bytes[offset + index] : 0
      return sum | UInt64(byte) << UInt64(8 * index)
    }
  }

  func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.rawSpan.equals(right.rawSpan) }

  func starts(_ whole: [UInt8], with prefix: [UInt8]) -> Bool { whole.rawSpan.starts(with: prefix.rawSpan) }

  @Test("Every width is read at every offset")
  func everyOffset() {
    let span = bytes.rawSpan
    for offset in bytes.indices {
      #expect(span.uint8(at: offset) == bytes[offset])
      if offset + 2 <= 24 { #expect(UInt64(span.uint16(at: offset)) == number(2, at: offset, of: bytes)) }
      if offset + 4 <= 24 { #expect(UInt64(span.uint32(at: offset)) == number(4, at: offset, of: bytes)) }
      if offset + 8 <= 24 { #expect(span.uint64(at: offset) == number(8, at: offset, of: bytes)) }
    }
  }

  @Test("A padded load sees zeros after the last byte", arguments: 0...24)
  func padded(byteCount: Int) {
    let short = Array(bytes.prefix(byteCount))
    let span = short.rawSpan
    for offset in 0...(byteCount + 9) {
      #expect(span.paddedUInt64(at: offset) == number(8, at: offset, of: short))
    }
  }

  @Test("Equal means the same bytes and the same count", arguments: 0...24)
  func equality(byteCount: Int) {
    let left = Array(bytes.prefix(byteCount))
    #expect(areEqual(left, left))
    #expect(!areEqual(left, left + [0]))
    #expect(!areEqual(left + [0], left))
    withEveryBitFlip(of: left) { other, damage in
      #expect(!areEqual(left, other), "\(damage)")
    }
  }

  @Test("A prefix is one up to the whole and no further")
  func prefixes() {
    withEveryPrefix(of: bytes) { prefix, damage in
      #expect(starts(bytes, with: prefix), "\(damage)")
      #expect(!starts(prefix, with: bytes), "\(damage)")
      #expect(prefix.isEmpty || !starts(bytes, with: prefix.dropLast() + [0]), "\(damage)")
    }
    #expect(starts(bytes, with: bytes))
  }
}
