// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// A block of memory that lives as long as its owner, aligned as an arena wants it.
@safe
final class Memory {
  private let block: UnsafeMutableRawBufferPointer

  init(byteCount: Int) {
    unsafe block = .allocate(byteCount: byteCount, alignment: 16)
  }

  deinit { unsafe block.deallocate() }

  /// An arena over the whole block; its tables must not outlive this object.
  func arena() -> Arena { unsafe Arena(block: block) }
}
