// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The three calls the replay needs of the C library it is linked with. Embedded Swift has no overlay for them.
@_extern(c, "read")
@unsafe func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int

@_extern(c, "write")
@unsafe func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int

@_extern(c, "mmap")
@unsafe func systemMap(
  _ address: UnsafeMutableRawPointer?, _ byteCount: Int, _ protection: Int32, _ flags: Int32,
  _ descriptor: Int32, _ offset: Int
) -> UnsafeMutableRawPointer?

/// Memory set aside at start and never given back: zeros, on pages that cost nothing until they are written.
enum Memory {
  /// Linux: PROT_READ | PROT_WRITE; MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, the same on both processors.
  private static let protection: Int32 = 0x1 | 0x2
  private static let flags: Int32 = 0x2 | 0x20 | 0x4000

  /// Nil when the system has none left.
  @unsafe static func block(byteCount: Int) -> UnsafeMutableRawBufferPointer? {
    let start = unsafe systemMap(nil, byteCount, protection, flags, -1, 0)
    // MAP_FAILED is the address with all bits set.
    guard let start = unsafe start, UInt(bitPattern: start) != .max else { return nil }
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  static func bytes(_ byteCount: Int) -> FixedTable<UInt8>? {
    guard let block = unsafe block(byteCount: byteCount), let base = block.baseAddress else {
      return nil
    }
    // Holds: the memory is zeroed, a byte needs no alignment, and the block is never unmapped.
    let elements = unsafe base.bindMemory(to: UInt8.self, capacity: byteCount)
    return unsafe FixedTable(base: elements, count: byteCount)
  }
}
