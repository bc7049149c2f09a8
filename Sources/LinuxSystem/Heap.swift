// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux

/// The process's heap.
public enum Heap {
  /// Makes it give back what is freed; to be called before any thread.
  public static func keepSmall() { clinux_keep_heap_small() }
}
