// SPDX-License-Identifier: GPL-3.0-or-later

/// How the programs here end: the codes of sysexits.h.
public enum ExitStatus: Int32, Sendable {
  case success = 0
  /// EX_USAGE: the command line is wrong.
  case usage = 64
  /// EX_DATAERR: a file's content is wrong.
  case dataError = 65
  /// EX_NOINPUT: a file is missing or cannot be read.
  case noInput = 66
  /// EX_UNAVAILABLE: another agent runs.
  case unavailable = 69
  /// EX_OSERR: the system refused something that should work.
  case systemError = 71
  /// EX_CANTCREAT: the socket cannot be made.
  case cannotCreate = 73
  /// EX_NOPERM: an account may not do this, or a file that others may touch is not relied on.
  case noPermission = 77
}
