// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// What is typed, or comes from another program.
public enum StandardInput {
  public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// One line without its end; nil behind the last.
  public static func line() -> String? { readLine() }
}
