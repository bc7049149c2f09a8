// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// All of standard input in memory; a longer one is refused.
struct StandardInput {
  static let byteCountMax = 64 << 20

  let bytes: FixedTable<UInt8>
  let byteCount: Int

  /// Nil when reading fails, or when there is more than fits.
  init?() {
    guard let bytes = Memory.bytes(Self.byteCountMax + 1) else { return nil }
    self.bytes = bytes
    var end = 0
    while end < bytes.count {
      let count = Self.read(into: bytes, at: end)
      guard count >= 0 else { return nil }
      if count == 0 { break }
      end += count
    }
    guard end <= Self.byteCountMax else { return nil }
    byteCount = end
  }

  private static func read(into bytes: FixedTable<UInt8>, at start: Int) -> Int {
    // Holds: the address is an element's, and as many bytes follow it.
    unsafe withUnsafeMutablePointer(to: &bytes[start]) { first in
      unsafe systemRead(0, first, bytes.count - start)
    }
  }
}
