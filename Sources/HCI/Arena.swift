// SPDX-License-Identifier: GPL-3.0-or-later

/// Hands out one block of memory, piece by piece, once.
///
/// The data path allocates nothing: the shell measures what the tables need, sets one block aside at start, and
/// each part takes its tables from it. A measuring arena has no memory and only adds up.
@safe
public struct Arena: ~Copyable {
  @usableFromInline let base: UnsafeMutableRawPointer?
  @usableFromInline let capacity: Int
  /// Bytes handed out so far, alignment included.
  @inlinable public var byteCount: Int { used }
  @usableFromInline var used = 0

  /// An arena that only measures; its tables are empty.
  public init() {
    unsafe base = nil
    capacity = .max
  }

  /// `block` must be aligned to 16 bytes and outlive every table taken from the arena.
  @unsafe
  public init(block: UnsafeMutableRawBufferPointer) {
    unsafe base = block.baseAddress
    capacity = block.count
  }

  /// A table of `count` elements that all start as `initial`; traps when the block was measured too small.
  ///
  /// Inlinable, so that the elements are filled in by code for their own type.
  @inlinable
  public mutating func table<Element: BitwiseCopyable>(
    of initial: Element, count: Int
  ) -> FixedTable<Element> {
    let alignment = MemoryLayout<Element>.alignment
    let start = (used + alignment - 1) & ~(alignment - 1)
    let size = MemoryLayout<Element>.stride * count
    precondition(count >= 0 && start + size <= capacity, "the arena was measured too small")
    used = start + size
    guard let base = unsafe base else { return .empty }
    let bytes = unsafe base + start
    // Holds: the range lies inside the block, is aligned, and is handed out only this once.
    let elements = unsafe bytes.initializeMemory(as: Element.self, repeating: initial, count: count)
    return unsafe FixedTable(base: elements, count: count)
  }
}

extension FixedTable {
  /// A table without elements or memory.
  @inlinable
  public static var empty: FixedTable {
    // Holds: with a count of zero no index passes the check, so the address (not zero) is never used.
    let address = unsafe UnsafeMutablePointer<Element>(bitPattern: MemoryLayout<Element>.alignment)
    return unsafe FixedTable(base: address.unsafelyUnwrapped, count: 0)
  }
}
