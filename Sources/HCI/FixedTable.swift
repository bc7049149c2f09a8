// SPDX-License-Identifier: GPL-3.0-or-later

/// A run of elements in memory that the shell set aside at start; it never grows.
///
/// Copies share the memory, which lives as long as the ``Arena`` it came from. Every access checks its index.
@frozen
@safe
public struct FixedTable<Element: BitwiseCopyable>: BitwiseCopyable {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  /// Elements in the table.
  public let count: Int

  /// `base` must be valid for `count` initialised elements for as long as the table or a copy of it is used.
  @inlinable
  @unsafe
  public init(base: UnsafeMutablePointer<Element>, count: Int) {
    unsafe self.base = base
    self.count = count
  }

  @inlinable
  public subscript(_ index: Int) -> Element {
    unsafeAddress {
      // One unsigned comparison: a negative index is larger than any count.
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      // Holds: the index was checked, and the memory outlives the table by its initialiser's contract.
      return unsafe UnsafePointer(base + index)
    }
    nonmutating unsafeMutableAddress {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      // Holds: as above.
      return unsafe base + index
    }
  }
}

extension FixedTable where Element == UInt8 {
  /// A view of `count` bytes from `offset` on.
  @inlinable
  @_lifetime(borrow self)
  public func span(at offset: Int, count byteCount: Int) -> RawSpan {
    precondition(offset >= 0 && byteCount >= 0 && offset <= count &- byteCount)
    // Holds: the range was checked, and the view cannot outlive the table.
    let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(base + offset), byteCount: byteCount)
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// Copies `bytes` to `offset`; the range must lie inside the table.
  @inlinable
  @inline(__always)
  public func write(_ bytes: RawSpan, at offset: Int) {
    precondition(offset >= 0 && offset &+ bytes.byteCount <= count)
    var index = 0
    while index &+ 8 <= bytes.byteCount {
      // Holds: offset + index + 8 lies inside the range checked above.
      unsafe UnsafeMutableRawPointer(base + offset + index)
        .storeBytes(of: bytes.uint64(at: index).littleEndian, as: UInt64.self)
      index &+= 8
    }
    if index > 0, index < bytes.byteCount {
      // The last eight bytes, some of which were written before. Holds: they end where the range does.
      index = bytes.byteCount &- 8
      unsafe UnsafeMutableRawPointer(base + offset + index)
        .storeBytes(of: bytes.uint64(at: index).littleEndian, as: UInt64.self)
      return
    }
    while index < bytes.byteCount {
      self[offset &+ index] = bytes.uint8(at: index)
      index &+= 1
    }
  }
}
