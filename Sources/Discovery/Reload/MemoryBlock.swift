// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The memory that the data path's tables are taken from, set aside once and zeroed; freed with its owner.
@safe
public struct MemoryBlock: ~Copyable {
  private let bytes: UnsafeMutableRawBufferPointer

  public init(byteCount: Int) {
    unsafe bytes = .allocate(byteCount: byteCount, alignment: 16)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { unsafe bytes.deallocate() }

  /// An arena over the whole block. The tables taken from it must not be used after the block is gone, and only one
  /// arena may be made.
  @unsafe
  public func arena() -> Arena {
    // Holds: the block is aligned to 16 bytes; its lifetime is the caller's promise.
    unsafe Arena(block: bytes)
  }
}
