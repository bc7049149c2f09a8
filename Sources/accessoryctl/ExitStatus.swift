// SPDX-License-Identifier: GPL-3.0-or-later

/// The exit statuses of the tool: 0 success, 1 the answer is "no", and the codes of sysexits.h.
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
  /// EX_UNAVAILABLE: there is no agent, or it went away.
  case unavailable = 69
  /// EX_SOFTWARE: a mistake in the tool.
  case software = 70
  /// EX_OSERR: the system refused something that should work.
  case systemError = 71
  /// EX_CANTCREAT: a file cannot be created.
  case cannotCreate = 73
  /// EX_IOERR: output could not be written.
  case ioError = 74
  /// EX_TEMPFAIL: the agent is busy.
  case temporaryFailure = 75
  /// EX_PROTOCOL: the program at the socket is not the agent, or of another version.
  case protocolError = 76
  /// EX_NOPERM: other accounts may write the file, or this account may not ask the agent.
  case noPermission = 77
}

extension ExitStatus {
  var error: ToolError { .reported(self) }

  /// Throws unless this is success. Everything has been printed already.
  func throwUnlessSuccess() throws(ToolError) { if self != .success { throw .reported(self) } }
}
