// SPDX-License-Identifier: GPL-3.0-or-later

/// How the tool ends: 0 success, 1 the answer is "no", and the codes of sysexits.h.
enum ExitStatus: Int32 {
  case success = 0
  /// The question was understood and the answer is no.
  case no = 1
  /// EX_USAGE: the command line is wrong.
  case usage = 64
  /// EX_DATAERR: a file's content is wrong.
  case dataError = 65
  /// EX_NOINPUT: a file is missing or cannot be read.
  case noInput = 66
  /// EX_UNAVAILABLE: no agent is there, or it went away.
  case unavailable = 69
  /// EX_SOFTWARE: our mistake.
  case software = 70
  /// EX_OSERR: the system refused something that should work.
  case systemError = 71
  /// EX_CANTCREAT: a file cannot be made.
  case cannotCreate = 73
  /// EX_IOERR: output could not be written.
  case ioError = 74
  /// EX_TEMPFAIL: the agent is busy.
  case temporaryFailure = 75
  /// EX_PROTOCOL: what answers speaks another language.
  case protocolError = 76
  /// EX_NOPERM: a file that others may touch is not relied on; somebody who may not ask the agent.
  case noPermission = 77
}

extension ExitStatus {
  var failure: Failure { .said(self) }

  /// Ends the command, what there was to say having been said.
  func end() throws(Failure) { if self != .success { throw .said(self) } }
}
