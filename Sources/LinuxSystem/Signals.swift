// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// The process's dispositions of signals.
public enum Signals {
  /// A reader that went away is then an error of `write`, not the end of the process.
  public static func ignoreBrokenPipe() {
    _ = signal(SIGPIPE, SIG_IGN)
  }
}
