// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// An open file descriptor, closed with its owner.
public struct Descriptor: ~Copyable, Sendable {
  public let number: Int32

  /// Takes ownership of a number that a system call just returned.
  package init(owning number: Int32) { self.number = number }

  deinit { close(number) }

  /// Makes a call about the descriptor, and repeats it when a signal interrupts it; -1 is an error.
  @discardableResult
  package borrowing func call<Result: SignedInteger>(
    _ name: SystemCall, _ call: (Int32) -> Result
  ) throws(SystemError) -> Result {
    let number = number
    return try retryOnInterrupt(name) { call(number) }
  }

  /// Reads the available bytes into `buffer`. Returns their count: 0 at the end, nil when none is available yet.
  public borrowing func read(into buffer: inout [UInt8]) throws(SystemError) -> Int? {
    try read(into: &buffer, 0..<buffer.count)
  }

  /// Reads the available bytes into a part of `buffer`. Returns their count, likewise.
  public borrowing func read(into buffer: inout [UInt8], _ range: Range<Int>) throws(SystemError) -> Int? {
    precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count, "a read stays in its buffer")
    let count = unsafe buffer.withUnsafeMutableBytes {
      // Holds: the range lies in the buffer, which is the array's own, for as long as the call.
      unsafe Glibc.read(number, $0.baseAddress?.advanced(by: range.lowerBound), range.count)
    }
    return try Self.progress(count, of: .read)
  }

  /// Writes what fits now. Returns the count of bytes written; nil when nothing fits.
  public borrowing func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int? {
    let count = unsafe bytes.withUnsafeBytes {
      // Holds: the call only reads the slice.
      unsafe clinux_send(number, $0.baseAddress, $0.count)
    }
    return try Self.progress(count, of: .send)
  }

  /// Sends what fits now. Returns the count of bytes sent; nil when nothing fits.
  public borrowing func send(_ bytes: Span<UInt8>) throws(SystemError) -> Int? {
    // Holds: a byte has no padding that could be read uninitialised.
    try send(unsafe bytes.bytes)
  }

  /// Sends what fits now, likewise.
  public borrowing func send(_ bytes: RawSpan) throws(SystemError) -> Int? {
    let count = unsafe bytes.withUnsafeBytes {
      // Holds: the call only reads the span.
      unsafe clinux_send(number, $0.baseAddress, $0.count)
    }
    return try Self.progress(count, of: .send)
  }

  /// Sends what fits now, with a copy of `passed` beside its first byte. Returns the count of bytes sent; nil when
  /// nothing fits, and then no copy was sent.
  public borrowing func send(_ bytes: Span<UInt8>, passing passed: borrowing Descriptor) throws(SystemError)
    -> Int?
  {
    let (number, passedNumber) = (number, passed.number)
    let count = unsafe bytes.withUnsafeBytes {
      // Holds: the call only reads the span.
      unsafe clinux_send_passing(number, $0.baseAddress, $0.count, passedNumber)
    }
    return try Self.progress(count, of: .send)
  }

  package static func progress(_ count: Int, of call: SystemCall) throws(SystemError) -> Int? {
    guard count < 0 else { return count }
    let error = SystemError(call)
    guard error.code == EAGAIN || error.code == EINTR else { throw error }
    return nil
  }
}

/// A descriptor that several owners share, closed with the last of them.
public final class SharedDescriptor: Sendable {
  public let descriptor: Descriptor
  public init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
}
