// SPDX-License-Identifier: GPL-3.0-or-later

/// One number for everything that a run produced (FNV-1a, 64 bits): two runs of a seed must have the same.
public struct Digest: Equatable, Sendable, CustomStringConvertible {
  public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  mutating func add(_ number: Int64) {
    for shift in stride(from: 0, to: 64, by: 8) { add([UInt8(truncatingIfNeeded: number >> shift)]) }
  }

  mutating func add(_ text: String) { add(Array(text.utf8)) }

  public var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
