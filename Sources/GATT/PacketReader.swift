// SPDX-License-Identifier: Apache-2.0

/// A cursor over the bytes of one packet. Integers are little-endian (Core Specification 5.4, Volume 3, Part F, 3.3.1).
///
/// Reading past the end sets ``isExhausted`` and returns zeros, so a parser checks once, after its last field.
struct PacketReader {
  private var rest: ArraySlice<UInt8>
  /// A read asked for more bytes than there were.
  private(set) var isExhausted = false

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var remainingByteCount: Int { rest.count }

  mutating func readByte() -> UInt8 {
    guard let byte = rest.popFirst() else {
      isExhausted = true
      return 0
    }
    return byte
  }

  mutating func readUInt16() -> UInt16 { UInt16(readByte()) | UInt16(readByte()) << 8 }

  /// The next `count` bytes.
  mutating func readBytes(_ count: Int) -> [UInt8] {
    guard count <= rest.count else {
      isExhausted = true
      rest = []
      return []
    }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// All bytes that are left.
  mutating func readRest() -> [UInt8] { readBytes(rest.count) }

  /// The next UUID, of all bytes that are left; nil when their count is not that of a UUID.
  mutating func readUUID() -> AttributeUUID? { AttributeUUID(littleEndian: readRest()) }

  /// The next two handles; nil when they are no range.
  mutating func readRange() -> HandleRange? {
    let start = readUInt16()
    return HandleRange(start, readUInt16())
  }
}
