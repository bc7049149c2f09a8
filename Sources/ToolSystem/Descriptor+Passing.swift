// SPDX-License-Identifier: GPL-3.0-or-later

import CTool
public import LinuxSystem

extension Descriptor {
  /// Reads the available bytes into `buffer`, likewise. A descriptor that came beside them replaces `passed`.
  public borrowing func read(
    into buffer: inout [UInt8], passed: inout SharedDescriptor?
  ) throws(SystemError) -> Int? {
    var other: Int32 = -1
    let count = unsafe buffer.withUnsafeMutableBytes {
      // Holds: the buffer is the array's own, for as long as the call.
      unsafe ctool_receive_passed(number, $0.baseAddress, $0.count, &other)
    }
    if other >= 0 { passed = SharedDescriptor(Descriptor(owning: other)) }
    return try Self.progress(count, of: .receive)
  }
}
