// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// Says which seed it was when the agent traps, which ends the whole program. A single seed needs no such word, and
/// gets the runtime's own report in place of it.
enum Trap {
  /// Written between runs, read by the handler, on the only thread.
  nonisolated(unsafe) private static var seed: UInt64 = 0

  static func name(_ seed: UInt64) { unsafe self.seed = seed }

  static func install() {
    for number in [SIGILL, SIGTRAP, SIGSEGV] {
      // Printing is not safe in a handler in general; but a trap comes from our own code, never from within print.
      signal(number) { number in
        print("seed \(unsafe Trap.seed): the agent trapped")
        print("again: Scripts/simulate --seed \(unsafe Trap.seed) --verbose")
        // What was printed waits in a buffer; leaving through exit writes it out.
        exit(1)
      }
    }
  }
}
