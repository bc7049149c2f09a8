// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("Loads from raw bytes")
struct RawSpanLoadsTests {
  let octets = (1...24).map(UInt8.init)

  /// The little-endian number of `count` octets from `offset` on, the slow way; octets past the end are zero.
  func number(_ count: Int, at offset: Int, of octets: [UInt8]) -> UInt64 {
    (0..<count).reduce(0) { sum, index in
      let octet = offset + index < octets.count ? octets[offset + index] : 0
      return sum | UInt64(octet) << UInt64(8 * index)
    }
  }

  func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.rawSpan.equals(right.rawSpan) }

  func starts(_ whole: [UInt8], with prefix: [UInt8]) -> Bool { whole.rawSpan.starts(with: prefix.rawSpan) }

  @Test("Every width is read at every offset")
  func everyOffset() {
    let span = octets.rawSpan
    for offset in octets.indices {
      #expect(span.uint8(at: offset) == octets[offset])
      if offset + 2 <= 24 { #expect(UInt64(span.uint16(at: offset)) == number(2, at: offset, of: octets)) }
      if offset + 4 <= 24 { #expect(UInt64(span.uint32(at: offset)) == number(4, at: offset, of: octets)) }
      if offset + 6 <= 24 { #expect(span.uint48(at: offset) == number(6, at: offset, of: octets)) }
      if offset + 8 <= 24 { #expect(span.uint64(at: offset) == number(8, at: offset, of: octets)) }
    }
  }

  @Test("A padded load sees zeros behind the last octet", arguments: 0...24)
  func padded(byteCount: Int) {
    let short = Array(octets.prefix(byteCount))
    let span = short.rawSpan
    for offset in 0...(byteCount + 9) {
      #expect(span.paddedUInt64(at: offset) == number(8, at: offset, of: short))
    }
  }

  @Test("Equal means the same octets and the same count", arguments: 0...24)
  func equality(byteCount: Int) {
    let left = Array(octets.prefix(byteCount))
    #expect(areEqual(left, left))
    #expect(!areEqual(left, left + [0]))
    #expect(!areEqual(left + [0], left))
    withEveryBitFlip(of: left) { other, damage in
      #expect(!areEqual(left, other), "\(damage)")
    }
  }

  @Test("A prefix is one up to the whole and no further")
  func prefixes() {
    withEveryPrefix(of: octets) { prefix, damage in
      #expect(starts(octets, with: prefix), "\(damage)")
      #expect(!starts(prefix, with: octets), "\(damage)")
      #expect(prefix.isEmpty || !starts(octets, with: prefix.dropLast() + [0]), "\(damage)")
    }
    #expect(starts(octets, with: octets))
  }
}
