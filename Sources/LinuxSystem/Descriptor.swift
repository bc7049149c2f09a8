// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// An open file descriptor, closed with its owner.
public struct Descriptor: ~Copyable, Sendable {
  public let number: Int32

  /// Takes ownership of a number that a system call just returned.
  init(owning number: Int32) { self.number = number }

  deinit { close(number) }

  /// Reads what is there into `buffer`: octets read, 0 at the end, nil when nothing is there yet.
  public borrowing func read(into buffer: inout [UInt8]) throws(SystemError) -> Int? {
    let count = unsafe buffer.withUnsafeMutableBytes {
      // Holds: the buffer is the array's own, for as long as the call.
      unsafe Glibc.read(number, $0.baseAddress, $0.count)
    }
    return try Self.progress(count, of: .read)
  }

  /// Writes what fits now: octets written, or nil when nothing fits.
  public borrowing func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int? {
    let count = unsafe bytes.withUnsafeBytes {
      // Holds: the call only reads the slice.
      unsafe clinux_send(number, $0.baseAddress, $0.count)
    }
    return try Self.progress(count, of: .send)
  }

  private static func progress(_ count: Int, of call: SystemCall) throws(SystemError) -> Int? {
    guard count < 0 else { return count }
    let error = SystemError(call)
    guard error.code == EAGAIN || error.code == EINTR else { throw error }
    return nil
  }
}
