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

  /// Stores a number at `offset`, least significant byte first; its bytes must lie inside the table.
  @inlinable
  @inline(__always)
  public func store<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number, at offset: Int) {
    precondition(offset >= 0 && offset <= count &- MemoryLayout<Number>.size)
    // Holds: the range was just checked, and a number needs no alignment to be stored this way.
    unsafe UnsafeMutableRawPointer(base + offset).storeBytes(of: number.littleEndian, as: Number.self)
  }

  /// Stores four numbers from `offset` on, likewise.
  @inlinable
  @inline(__always)
  public func store(_ words: (UInt64, UInt64, UInt64, UInt64), at offset: Int) {
    precondition(offset >= 0 && offset <= count &- 32)
    // Holds: as above, for the four of them.
    let start = unsafe UnsafeMutableRawPointer(base + offset)
    unsafe start.storeBytes(of: words.0.littleEndian, as: UInt64.self)
    unsafe (start + 8).storeBytes(of: words.1.littleEndian, as: UInt64.self)
    unsafe (start + 16).storeBytes(of: words.2.littleEndian, as: UInt64.self)
    unsafe (start + 24).storeBytes(of: words.3.littleEndian, as: UInt64.self)
  }

  /// Copies `bytes` to `offset`; the range must lie inside the table.
  @inlinable
  @inline(__always)
  public func write(_ bytes: RawSpan, at offset: Int) {
    precondition(offset >= 0 && offset <= count &- bytes.byteCount)
    unsafe bytes.withUnsafeBytes { source in
      // Holds: the range lies inside the table, as just checked, and outside the span, which is no view of it.
      if let start = source.baseAddress {
        unsafe UnsafeMutableRawPointer(base + offset).copyMemory(from: start, byteCount: source.count)
      }
    }
  }
}
