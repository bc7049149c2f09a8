// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// Waiting where nothing else can be done meanwhile: on a worker.
enum Pause {
  static func wait(milliseconds: Int) {
    guard let now = try? MonotonicInstant.now() else { return }
    _ = try? Polling.wait([], until: now.advanced(milliseconds: milliseconds))
  }
}
