// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// The process's dispositions of signals.
public enum Signals {
  /// A reader that went away is then an error of `write`, not the end of the process.
  public static func ignoreBrokenPipe() {
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Ends the process as if nobody had waited for the signal: whoever started it sees that it came.
  public static func end(by signal: SignalDescriptor.Signal) -> Never {
    clinux_end_by_signal(signal.rawValue)
  }
}
