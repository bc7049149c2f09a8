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

  /// Stores five numbers and then `bytes` from `offset` on, likewise; all of them must lie inside the table.
  @inlinable
  @inline(__always)
  public func store(
    _ words: (UInt64, UInt64, UInt64, UInt64), _ last: UInt16, _ bytes: RawSpan, at offset: Int
  ) {
    // A sum that is too large for a number is negative, and as one without a sign larger than any count.
    let end = UInt(bitPattern: offset &+ 34 &+ bytes.byteCount)
    precondition(offset >= 0 && end <= UInt(bitPattern: count))
    // Holds: as above, for all of them.
    let start = unsafe UnsafeMutableRawPointer(base + offset)
    unsafe start.storeBytes(of: words.0.littleEndian, as: UInt64.self)
    unsafe (start + 8).storeBytes(of: words.1.littleEndian, as: UInt64.self)
    unsafe (start + 16).storeBytes(of: words.2.littleEndian, as: UInt64.self)
    unsafe (start + 24).storeBytes(of: words.3.littleEndian, as: UInt64.self)
    unsafe (start + 32).storeBytes(of: last.littleEndian, as: UInt16.self)
    // Holds: the bytes that follow lie inside the table too.
    unsafe bytes.withUnsafeBytes { unsafe Self.copyPieces($0, to: start + 34) }
  }

  /// Copies bytes without a call, in pieces, the last of which may overlap the one before.
  @inlinable
  @inline(__always)
  static func copyPieces(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
    typealias Piece = SIMD16<UInt8>
    guard let start = source.baseAddress else { return }
    // Holds: each piece lies within the bytes, and the caller has checked that the target has as many.
    if source.count >= 16 {
      let last = source.count &- 16
      var piece = unsafe start.loadUnaligned(as: Piece.self)
      unsafe target.storeBytes(of: piece, as: Piece.self)
      var place = 16
      while place < last {
        piece = unsafe (start + place).loadUnaligned(as: Piece.self)
        unsafe (target + place).storeBytes(of: piece, as: Piece.self)
        place &+= 16
      }
      piece = unsafe (start + last).loadUnaligned(as: Piece.self)
      unsafe (target + last).storeBytes(of: piece, as: Piece.self)
    } else if source.count >= 8 {
      let last = source.count &- 8
      let pieces = unsafe (
        start.loadUnaligned(as: UInt64.self), (start + last).loadUnaligned(as: UInt64.self)
      )
      unsafe target.storeBytes(of: pieces.0, as: UInt64.self)
      unsafe (target + last).storeBytes(of: pieces.1, as: UInt64.self)
    } else {
      for place in 0..<source.count {
        unsafe (target + place).storeBytes(of: (start + place).load(as: UInt8.self), as: UInt8.self)
      }
    }
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
