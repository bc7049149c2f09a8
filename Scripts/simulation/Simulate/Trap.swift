// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// Prints the seed when the agent traps, which ends the whole program. A run of a single seed does not install it, and
/// gets the runtime's own report.
enum Trap {
  /// Written between runs, read by the handler, on the only thread.
  nonisolated(unsafe) private static var seed: UInt64 = 0

  static func remember(_ seed: UInt64) { unsafe self.seed = seed }

  static func install() {
    for number in [SIGILL, SIGTRAP, SIGSEGV] {
      // Printing is not safe in a handler in general, but a trap comes from the agent's code, never from within print.
      signal(number) { number in
        print("seed \(unsafe Trap.seed): the agent trapped")
        print("again: Scripts/simulate --seed \(unsafe Trap.seed) --verbose")
        // `exit` flushes the buffered output.
        exit(1)
      }
    }
  }
}
