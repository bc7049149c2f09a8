// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Discovery

/// Memory for one table under test, and an arena over it.
struct Memory: ~Copyable {
  private let block: MemoryBlock

  init(byteCount: Int = 1 << 20) { block = MemoryBlock(byteCount: byteCount) }

  /// To be asked once; what is taken from it must not outlive this value.
  var arena: Arena {
    // Holds: each test asks once and keeps the memory until its end.
    unsafe block.arena()
  }
}
