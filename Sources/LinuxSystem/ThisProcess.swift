// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// What a process knows and sets about itself.
public enum ThisProcess {
  public static var identifier: Int32 { getpid() }
  public static var user: UInt32 { geteuid() }

  /// Lets the process open up to `wanted` descriptors, or as many as it may; answers how many that is.
  public static func raiseDescriptorLimit(to wanted: Int) throws(SystemError) -> Int {
    Int(try retryOnInterrupt(.limit) { clinux_descriptor_limit(UInt64(wanted)) })
  }
}

/// How a program of this package ends: the codes of sysexits.h.
public enum ExitCode: Int32, Sendable {
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
