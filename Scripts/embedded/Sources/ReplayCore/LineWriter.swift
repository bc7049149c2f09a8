// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Lines of fixed text, decimal numbers and hex digits for standard output, with nothing that a library, a locale
/// or a processor could decide otherwise. Capacity: one buffer, written out whenever it is nearly full.
struct LineWriter: ~Copyable {
  private let buffer: FixedTable<UInt8>
  private var end = 0
  /// Whether standard output took everything so far.
  private(set) var isIntact = true

  init?(byteCount: Int = 1 << 16) {
    guard let buffer = Memory.bytes(byteCount) else { return nil }
    self.buffer = buffer
  }

  mutating func byte(_ value: UInt8) {
    if end == buffer.count { flush() }
    buffer[end] = value
    end += 1
  }

  mutating func text(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount {
      // Holds: a literal's bytes are constant memory, and the index lies inside them.
      byte(unsafe text.utf8Start[index])
    }
  }

  mutating func number(_ value: Int64) {
    if value < 0 { byte(UInt8(ascii: "-")) }
    number(value.magnitude)
  }

  mutating func number(_ value: UInt64) {
    if value >= 10 { number(value / 10) }
    byte(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
  }

  /// The low `digits` hex digits of a value.
  mutating func hex(_ value: UInt64, digits: Int) {
    for digit in (0..<digits).reversed() {
      let nibble = UInt8(truncatingIfNeeded: value >> UInt64(4 * digit) & 15)
      byte(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble)
    }
  }

  /// ` name value`, or ` name -` without one.
  mutating func field(_ name: StaticString, _ value: Int64?) {
    byte(UInt8(ascii: " "))
    text(name)
    byte(UInt8(ascii: " "))
    if let value { number(value) } else { byte(UInt8(ascii: "-")) }
  }

  mutating func endLine() { byte(UInt8(ascii: "\n")) }

  mutating func flush() {
    var start = 0
    while start < end, isIntact {
      // Holds: the call only reads the bytes it is given.
      let count = unsafe buffer.span(at: start, count: end - start).withUnsafeBytes { bytes in
        unsafe bytes.baseAddress.map { unsafe systemWrite(1, $0, bytes.count) } ?? 0
      }
      if count <= 0 { isIntact = false }
      start += count
    }
    end = 0
  }
}
