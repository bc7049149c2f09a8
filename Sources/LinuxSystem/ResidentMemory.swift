// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux

/// What the process keeps in memory.
public enum ResidentMemory {
  /// Makes the heap return freed memory to the system; to be called before any thread.
  public static func keepHeapSmall() { clinux_keep_heap_small() }

  /// Unmaps the pages of code and constants that only the start needed; those in use are mapped again at once, from the
  /// page cache.
  public static func releaseStartPages() { clinux_release_start_pages() }
}
