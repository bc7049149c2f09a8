// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import LinuxSystem

// The ends of sentences that several errors share. Text from outside is escaped before it enters a sentence.

/// Returns a path in quotes, safe on a terminal and in a log.
func quoted(_ path: String) -> String { AirText(Array(path.utf8)).terminal(columnsMax: 200) }

/// Returns a path without quotes, safe on a terminal and in a log.
func shown(_ path: String) -> String { AirText(Array(path.utf8)).escaped(columnsMax: 200) }

extension SystemError {
  /// The system's reason, and the call that failed.
  var sentence: String { "\(reason) (\(call.rawValue))" }
}

extension FileError {
  /// Why a file could not be read, and the cure; the end of a sentence.
  var sentence: String {
    switch self {
    case .system(let error):
      if error.isMissing {
        "there is no such file; check the name, or the directory the agent was started in"
      } else if error.isPermission {
        "the agent's account may not read it; change the file's mode, or the account"
      } else {
        error.sentence
      }
    case .isDirectory: "it is a directory; name a file in it"
    case .isNotOrdinary: "it is a pipe or a device; name an ordinary file"
    case .tooLarge(let byteCountMax):
      "it is larger than the \(byteCountMax >> 20) MiB that the agent reads; make it smaller"
    }
  }
}
